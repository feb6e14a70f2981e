"""What somebody takes, has and has gone through, and what he gave up: words that are listed, and no others."""

import re

from chatServer.memory.facts.objects import Object, fitting, trimmed
from chatServer.memory.facts.vocabulary import CONDITIONS
from chatServer.memory.facts.words import any_of, phrases

_MEDICINES = any_of(
    "metformin|insulin|ozempic|wegovy|semaglutide|mounjaro|aspirin|ibuprofen|paracetamol|tylenol|naproxen|codeine",
    "tramadol|sertraline|zoloft|fluoxetine|prozac|citalopram|escitalopram|lexapro|venlafaxine|duloxetine|bupropion",
    "wellbutrin|mirtazapine|amitriptyline|quetiapine|lithium|lamotrigine|ritalin|methylphenidate|adderall|vyvanse",
    "concerta|elvanse|xanax|diazepam|lorazepam|gabapentin|pregabalin|levothyroxine|synthroid|thyroxine|amlodipine",
    "ramipril|lisinopril|losartan|bisoprolol|metoprolol|propranolol|atorvastatin|simvastatin|rosuvastatin|warfarin",
    "eliquis|apixaban|xarelto|omeprazole|pantoprazole|lansoprazole|prednisone|prednisolone|cortisone|methotrexate",
    "humira|salbutamol|ventolin|albuterol|montelukast|cetirizine|loratadine|tamoxifen",
    "antidepressants|antihistamines|statins|sleeping pills|blood thinners|beta ?blockers",
    "blood pressure (?:tablets|pills|medication)|hay ?fever tablets|the pill|birth control|iron tablets|hrt",
    "vitamin b12|magnesium|melatonin|creatine|iron supplements|folic acid",
)
_DOSE = r"\d+(?:\.\d+)? ?(?:mg|mcg|g|ml|units?|iu)"
_ONE_MEDICINE = rf"(?:{_DOSE} (?:of )?)?(?P<what>{_MEDICINES})(?: {_DOSE})?"
_MEDICINE = re.compile(_ONE_MEDICINE, re.IGNORECASE)
_HOW_OFTEN = re.compile(
    r"(?:,? (?:(?:once|twice|three times|\d times) (?:a|per) (?:day|week|month)|(?:every|each) \w+(?: \w+)?|daily"
    r"|weekly|(?:in the|at) (?:morning|evening|night)s?|(?:for|because of|against) (?!(?:a|the) )\w.*))+",
    re.IGNORECASE,
)
_JOINT = re.compile(r",? and |, ")
ILLNESSES = CONDITIONS | phrases(
    "high blood pressure|low blood pressure|high cholesterol|a heart condition|heart failure|heart disease|ibs|pcos",
    "crohn's|ulcerative colitis|sleep apnea|sleep apnoea|psoriasis|fibromyalgia|lupus|multiple sclerosis|ms",
    "parkinson's|alzheimer's|dementia|cancer|breast cancer|prostate cancer|lung cancer|bowel cancer|skin cancer",
    "leukemia|leukaemia|lymphoma|bipolar|bipolar disorder|ocd|ptsd|hay fever|gout|osteoporosis|anaemia|anemia",
    "chronic pain|chronic fatigue|long covid|copd|glaucoma|cataracts|scoliosis|sciatica|vertigo|rosacea",
    "hemophilia|haemophilia|hiv|kidney disease|kidney stones|coeliac|coeliacs",
    "an underactive thyroid|an overactive thyroid|a pacemaker|tourette's|down syndrome|down's syndrome",
    "cerebral palsy|a bad back|a bad knee|bad knees|a slipped disc|a stoma|acid reflux|an eating disorder",
)
ILL = {
    "diabetic": "diabetes", "asthmatic": "asthma", "epileptic": "epilepsy", "autistic": "autism",
    "dyslexic": "dyslexia", "bipolar": "bipolar", "coeliac": "celiac", "celiac": "celiac",
}  # fmt: skip
_HAD = re.compile(
    r"(?P<what>(?:[\w-]+ )?surgery|(?:heart|hip|knee|back|eye|cataract|hernia|heart valve) (?:operation|replacement)"
    r"|(?:heart|kidney|liver|lung|bone marrow|stem cell) transplant|(?:gastric|heart) bypass"
    r"|an? (?:stroke|heart attack)|covid"
    r"|(?:shingles|pneumonia|chemo|chemotherapy|radiotherapy)|a c-section"
    r"|(?:my )(?:tonsils|appendix|wisdom teeth|gall ?bladder) (?:out|removed))",
    re.IGNORECASE,
)
_BLOOD = re.compile(r"(?:0|o|a|b|ab) ?(?:[+-]|positive|negative|pos|neg|plus|minus)", re.IGNORECASE)
FOODS = (
    "meat|red meat|pork|beef|fish|dairy|sugar|gluten|bread|chocolate|sweets|carbs|fast food|junk food|eggs|cheese|milk"
    "|processed food|snacks|crisps"
)
DRINKS = "coffee|caffeine|alcohol|soda|beer|wine|energy drinks|fizzy drinks|coke|black tea"


def alcohol(text: str) -> list[Object]:
    """Of "drinking", and nothing else beside a time."""
    return [Object("alcohol")] * (text.strip(" .!").lower() in ("alcohol", "drinking", "drinking alcohol", "sober"))


def medicines(text: str) -> list[Object]:
    """One or several, with their doses, and how often or for what, which no key is made of."""
    first, *others = _JOINT.split(text.strip(" .!"))
    found: list[Object] = []
    for part in (first, *others):
        read = _MEDICINE.match(part)
        if read is None or ((rest := part[read.end() :]) and not _HOW_OFTEN.fullmatch(rest)):
            return found if found and read is None else []
        found.append(Object(read["what"].lower(), read.group().strip()))
    return found


_WHERE_IT_HURTS = re.compile(
    r" in (?:my|both|one|the|his|her) (?:left |right |lower |upper )?(?:hand|knee|hip|back|finger|foot|shoulder|neck"
    r"|leg|eye|ear)s?"
)


def illnesses(text: str) -> list[Object]:
    """One or several, all of them known by their names."""
    words = [_WHERE_IT_HURTS.sub("", trimmed(each)).lower() for each in _JOINT.split(text)]
    words = [each if each in ILLNESSES else each.removesuffix(" disease") for each in words]
    return [Object(each) for each in words] if ILLNESSES.issuperset(words) else []


def had(text: str) -> list[Object]:
    """What one has gone through."""
    found = fitting(_HAD)(text)
    return [Object(each.value, re.sub(r"\Amy ", "the ", each.value, flags=re.IGNORECASE)) for each in found]


blood = fitting(_BLOOD)
