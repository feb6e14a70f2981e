"""How people say it. A group's name is what it says: an entry of the meanings, a name in _SPECIAL of facts.py, or what
tastes.py reads.

A clause is matched whole, after it was brought into one form: first person, present tense, contractions spelled out,
adverbs and negations taken away. So one row serves "I don't live in Rome any more" and "my sister Anna lives in Rome".
"""

import re

from chatServer.memory.facts.everyday import ABILITIES, ACTIVITY, CLOCK, COMMUTE, OFFICES, PRACTICE, SPORT
from chatServer.memory.facts.health import DRINKS, FOODS
from chatServer.memory.facts.vocabulary import ROLES
from chatServer.memory.facts.when import MONTH_NAMES
from chatServer.memory.facts.words import NUMBERS

_WORK = r"i (?:work|am working|have worked|have been working|am employed)"
_TOOK_UP_WORK = (
    r"i (?!.* for (?:my|our|him|her|them)\b)(?:have )?(?:started (?:working|to work|an? (?:new )?job)"
    r"|have a (?:new )?job|(?:got|found|landed) (?:an?|the) (?:new )?job)"
)
_DEGREE = r"am doing (?:an?|my) (?:phd|doctorate|master'?s|bachelor'?s|degree)(?: degree)? in"
_FEW = "|".join(list(NUMBERS)[2:])  # a child is two, and nobody is zero
_TAKES = (
    "take|am taking|have been taking|started taking|have started taking|am on"
    r"|(?:am|have been|(?:was|got)(?!.* (?:ago|last|in)\b)) (?:put on|prescribed)"
)
_WHEN = r"(?:,? (?:since|for|in|on|last|this|about|\w+ \w+ ago|yesterday|recently)\b.*)?"
_LATELY = _WHEN.replace("|for|", "|")
_ROWS = (
    r"my (?:full |first |real |given )?name is (?P<name>.+)",
    r"i am (?:called|named) (?P<name>.+)",
    r"i go by (?P<called>.+)",
    r"(?:(?:you|people|friends|everyone|everybody|my friends|most people) (?:can |may )?)?calls? me (?P<called>.+)",
    r"i (?:prefer|like) to be called (?P<called>.+)",
    r"i(?:'d| would) (?:rather|prefer to|like to|love to) be called (?P<called>.+?)(?: (?:rather )?than .+)?",
    r"my pronouns are (?P<pronouns>.+)",
    # Where
    r"i (?:moved|have moved|relocated|have relocated) from (?P<left>.+?) to (?P<moved>.+)",
    r"i (?:live|am living|reside|am residing|am based|have lived|have been living|have been based) in (?P<home>.+)",
    r"i (?:(?:have )?(?:moved|relocated)) here from (?P<here_from>.+)",
    r"i (?:moved|have moved|relocated|have relocated|emigrated|immigrated) (?:back )?to (?P<moved>.+)",
    r"i (?:(?:was born and )?grew up|was (?:raised|brought up)) in (?:an? [\w ]{3,30} in )?(?P<raised>.+)",
    r"i am an? (?P<citizen>\w+) (?:citizen|national)",
    r"i (?:have|hold) an? (?P<citizen>\w+) (?:passport|citizenship)",
    r"my (?:nationality|citizenship) is (?P<citizen>\w+)",
    r"i lived in (?P<was_home>.+)",
    r"my home (?:city |town )?is (?:in )?(?P<moved>.+)",
    r"i (?:am moving|will move|will be moving|am going to move|am relocating) to (?P<moving>.+)",
    r"i (?:am retiring|will retire|will be retiring|am going to retire|plan to retire) (?P<retiring>.+)",
    r"i (?:am|come) from (?P<came>.+)",
    r"my home ?town is (?P<origin>.+)",
    # Born
    r"i was born (?:on|in) (?P<birthday>.+)",
    r"i was born in (?P<birth_year>.+)",
    r"i was born (?:and raised )?in (?P<birthplace>.+)",
    r"my (?:birthday|birth ?date|date of birth) is (?:on )?(?P<birthday>.+)",
    rf"i (?:am|turned) (?P<age>\d{{1,3}}|{_FEW})(?: years (?:old|of age)| yo)?"
    rf"(?: yesterday| today| (?:last|this) \w+| in (?:{'|'.join(MONTH_NAMES)})| on \w+day)?",
    r"i am an? (?P<age>\d{1,3})[ -]years?[ -]old (?P<job>.+)",
    r"i am an? (?P<age>\d{1,3})[ -]years?[ -]old(?: (?:man|woman|guy|girl|boy|male|female|person))?",
    # Work and study
    rf"{_WORK} as (?:an? |the )?(?P<job>.+?) (?:at|for) (?P<employer>.+)",
    rf"{_WORK} (?:at|for) (?P<employer>.+?) as (?:an? |the )?(?P<job>.+)",
    rf"{_WORK} as (?:an? |the )?(?P<job>.+)",
    rf"{_WORK} (?:at|for) (?P<employer>.+)",
    rf"{_TOOK_UP_WORK} (?:at|for) (?P<employer>.+)",
    rf"(?:{_TOOK_UP_WORK}|i (?:work|have worked|have been working|am employed)) (?:at|for|in) (?P<works_there>the .+)",
    r"i (?:got|was|have been) hired (?:by|at) (?P<company>.+)",
    r"i am with (?P<employer>an? (?:[\w-]+ ){0,3}(?:startup|start-up|company|firm|agency|studio) (?:called|named) .+)",
    r"i (?:have )?started at (?P<started>.+)",
    r"i (?:have )?started at (?P<started_there>the .+)",
    r"i worked (?:at|for) (?P<was_employer>.+)",
    r"i (?:quit|left|lost|resigned from|(?:was|got) fired from) my job (?:at|with) (?P<no_employer>.+)",
    r"i (?:resigned|(?:was|got|have been) (?:fired|sacked|laid off|let go)) from (?!an? |the |my )(?P<no_employer>.+)",
    r"my employer is (?P<employer>.+)",
    rf"{_WORK} in (?:(?P<field>\w+)|(?:an?|the) [\w ]{{2,30}}?) (?:at|for) (?P<company>.+)",
    rf"{_WORK} in (?P<work_setting>an? (?:(?!new|dirty|messy)[\w'-]+ ){{0,2}}(?:{OFFICES}))(?: (?:in|near) .+)?",
    rf"{_WORK} (?P<works_how>.+)",
    rf"{_WORK} (?P<working_time>(?:part|full)[ -]time)",
    r"i (?:run|own) (?P<runs>an? .+)",
    r"i (?:run|own|have|opened) (?P<runs>my own .+)",
    r"i volunteer (?:at|for|in) (?P<volunteers>.+)",
    r"i (?:got|was|have been) promoted to (?:an? |the )?(?P<job>.+)",
    rf"{_WORK} in (?P<workplace>.+)",
    rf"{_WORK} in (?P<field>.+)",
    r"i teach (?P<teaches>.+)",
    r"my (?:job|occupation|profession) is (?:an? )?(?P<job>.+)",
    r"i am an? (?P<employment>retired) (?P<was_job>.+)",
    r"i am (?:an?|the) (?P<job>.+?) (?:at|for) (?P<employer>.+)",
    r"i am (?:an?|the) (?P<job>.+?) (?:at|for|in) (?P<works_there>the .+)",
    r"i am (?:an?|the) (?P<job>.+?) from (?P<origin>.+)",
    r"i am (?:an?|the) (?P<job>.+?) (?:in|living in|based in) (?P<home>.+)",
    r"i am an? (?P<job>.+)",
    r"i am an? (?:\w+ )?student at (?P<school>.+)",
    r"i am (?P<employment>(?:a student|retired|unemployed|self[ -]employed|out of work|on parental leave"
    rf"|on maternity leave)(?! (?:on \w+(?:days|ends)|at weekends)\b){_WHEN})",
    r"i (?:have|got|hold|did) (?:an?|my) (?:(?:university|college) )?(?:degree|bachelor'?s|master'?s|phd|doctorate"
    r"|diploma)"
    r"(?: degree)? in (?P<degree>.+)",
    r"i graduated in (?P<graduated>[a-z ]+?)(?: from .+)?",
    r"i am in (?P<grade>.+)",
    rf"i (?:study|am studying|{_DEGREE}) (?P<studies>.+?) at (?P<school>.+)",
    r"i (?:study|am studying|go to school|go to college|go to university) at (?P<school>.+)",
    # Languages
    r"i (?:speak|can speak|am fluent in) (?P<speaks>.+)",
    r"i am an? native (?P<native>\w+) speaker",
    r"my (?:native|first|mother) (?:language|tongue) is (?P<native>.+)",
    r"i (?:am learning|learn|am studying|study|am trying to learn|started learning|have been (?:learn|study)ing)"
    r" (?P<learns>.+)",
    r"i (?:am learning|am trying to learn|started learning) (?:to play )?(?:the )?(?P<practises>.+)",
    rf"i (?:study|am studying|have been studying|{_DEGREE}) (?P<studies>.+)",
    # Tastes
    r"i (?:like|love|enjoy|adore|am fond of|am into|have loved|have liked) (?P<likes>.+)",
    r"i am an? (?:big |huge |great |massive )?fan of (?P<likes>.+)",
    r"i (?:hate|dislike|detest|loathe|despise|can not stand|can not bear) (?P<dislikes>.+)",
    r"i prefer (?P<prefers>.+?) (?:over|instead of|rather than) (?P<over>.+)",
    r"i prefer (?P<prefers>.+?) to (?P<than>.+)",
    r"i prefer (?P<prefers>.+)",
    r"my (?:all[ -]time )?fav(?:ou?rite)? (?P<favourite_of>.+?)(?: of all time)? (?:is|are) (?P<favourite>.+)",
    r"(?P<favourite>.+?) (?:is|are) my (?:all[ -]time )?favou?rite (?P<favourite_of>.+)",
    r"i (?:play|have played|took up|have taken up|started (?:playing|to play)) (?:the )?(?P<plays>.+?)(?: instead)?",
    r"my (?:main |favourite )?(?:hobby|hobbies) (?:is|are) (?P<likes>.+)",
    r"i am an? (?:big |huge |great |massive )?"
    r"(?P<likes>(?!(?:big|huge|great|massive|real|former|ceiling|total)\b)[\w' -]{3,30})"
    r" fan",
    rf"i go (?P<goes>{ACTIVITY}?)",
    rf"i (?:practi[cs]e )?(?P<does>{PRACTICE})",
    rf"i (?P<sport>{SPORT})",
    rf"i (?P<commute>{COMMUTE}) to (?:work|school|uni|university|college|the office)(?: every day| most days)?",
    r"i get to work (?P<commute>by (?:bus|train|tram|metro|subway|bike|car|ferry)|on foot)",
    r"i (?:have )?had (?:an? (?!heart|stroke|c-))?(?P<had>.+)",
    r"my (?:new )?(?:laptop|phone|computer|console|bike|tablet|watch) is (?P<owned>an? .+)",
    r"i collect (?P<collects>.+)",
    r"i (?:use|code in|program in|mostly code in|write) (?P<uses>.+)",
    r"i wear (?P<wears>.+)",
    rf"i (?:can|am able to) (?P<able>{ABILITIES})(?: at all| yet| well| very well)?",
    rf"i know how to (?P<able>{ABILITIES})",
    r"i am (?:afraid|scared|terrified|frightened) of (?P<afraid>.+)",
    r"i have (?:an? (?:\w+ )?(?:fear|phobia) of|a phobia about) (?P<afraid>.+)",
    rf"i (?:get|wake) up at (?P<gets_up>{CLOCK})",
    rf"i (?:go to bed|go to sleep) at (?P<goes_to_bed>{CLOCK})",
    rf"i start work(?:ing)? at (?P<starts_work>{CLOCK})",
    r"my rent (?:is|(?:went|has gone) (?:up|down) to|(?:increased|rose|was raised) to) (?P<rent>.+)",
    r"my budget is (?P<budget>.+)",
    r"my height is (?P<height>.+)",
    r"my weight is (?P<weight>.+)",
    r"i weigh (?P<weight>.+)",
    r"my shoe size is (?P<shoe_size>.+)",
    r"my blood (?:type|group) is (?P<blood>.+)",
    r"i drive (?P<drives>an? .+)",
    r"my (?:new )?car is (?P<owns>an? .+)",
    r"i (?:have )?(?:bought|got|have got|have|own|leased) (?P<owns>an? .+)",
    # Food and health
    r"i am allergic to (?P<allergic>.+)",
    r"i have an? (?P<allergy>.+?) allergy",
    r"i (?:have )?(?:outgrew|outgrown|grew out of|grown out of) (?:my|his|her|their) (?P<no_allergy>.+?) allergy"
    rf"{_WHEN}",
    r"my (?P<no_allergy>[\w ]{2,30}?) allergy (?:is|has) (?:gone|disappeared|vanished)",
    r"i am (?P<intolerant>\w+[ -]intolerant)",
    rf"i (?:{_TAKES}) (?P<takes>.+)",
    r"i am intolerant to (?P<allergic>.+)",
    r"i (?:am on|am|follow|eat) (?:an? )?(?P<diet>.{4,40}?)(?: diet)?",
    r"i (?:am on|am|follow|eat) (?:an? )?(?P<diet_beside>.{4,40}?)(?: diet)?",
    rf"i (?:have )?(?:quit|stopped|gave up|cut out) (?P<no_alcohol>(?:drinking(?: alcohol)?|alcohol){_WHEN})",
    r"i am (?P<sober>sober (?:since|for) .+)",
    rf"i (?:quit|gave up|cut out|have given up) (?P<no_eats>(?:{FOODS}){_LATELY})",
    rf"i (?:quit|gave up|cut out|have given up) (?P<no_drinks>(?:{DRINKS}){_LATELY})",
    r"i (?:stopped eating|quit eating|gave up eating) (?P<no_eats>.+)",
    r"i (?:stopped drinking|quit drinking|gave up drinking) (?P<no_drinks>.+)",
    r"i (?:quit|stopped|gave up) (?P<no_smokes>smoking(?: .+)?)",
    r"i (?P<smokes>smoke)",
    r"i am an? (?:heavy |chain[ -]|regular )?(?P<smokes>smoker)",
    r"i am an? (?P<non_smoker>non-?smoker)",
    r"i am an? (?P<no_smokes>(?:ex|former)[ -]smoker)",
    r"i (?P<alcohol>drink)",
    r"i (?:eat|can eat) (?P<eats>.+)",
    r"i (?:have )?started (?:eating|to eat) (?P<eats>.+ again)",
    r"i (?:drink|can drink) (?P<drinks>.+)",
    r"i (?:have got|have|get|suffer from|was diagnosed with|have been diagnosed with)"
    r" (?:type \d |(?:severe|mild|terrible|really bad) )?(?P<condition>.+)",
    r"i am (?:an? )?(?P<ill>diabetic|asthmatic|epileptic|autistic|dyslexic|bipolar|coeliac|celiac)(?:,.*)?",
    r"i am (?P<breed>an? .+)",
    r"i am (?P<trait>.+)",
    # Somebody
    r"i (?:(?:am|got) married to|married) (?:my \w+ )?(?P<spouse>.+)",
    r"i (?:am|got) engaged to (?:my \w+ )?(?P<fiance>.+)",
    r"i am (?P<marital>[a-z]+),? with (?P<has>.+)",
    rf"i (?:am|got|just got) (?P<marital>(?:getting )?[a-z]+{_WHEN})",
    r"i am (?P<marital>separated) from my (?:wife|husband|partner)",
    r"i (?:have got|have|own|got|adopted) (?P<event>.+)",
    r"i (?:have got|have|own|got|bought) (?!.* for (?:\w+ ){1,2}(?:days?|nights?|weeks?|weekend)\b)(?P<owned>an? .+)",
    r"i (?:have got|have|own|got|adopted) (?P<has>.+)",
    r"i (?:broke up with|split up with|divorced|(?:am|got) divorced from|(?:am )?separated from) my (?P<parted>.+)",
    r"i had to put my (?P<put_down>.+)",
    r"i lost my (?P<lost>.+)",
    rf"my (?:new )?(?P<role>{'|'.join(sorted(ROLES))}) is (?:called |named )?(?P<who>.+)",
    r"my (?P<former>(?:ex|late|former)[ -].+)",
    # How to reach
    r"my (?P<due>.+? (?:is|leaves|departs|goes|starts|begins|got|was|has been) .+)",
    r"i am expecting(?: (?:an?|my|our|the)(?: \w+)? (?:baby|child|girl|boy)| twins| (?:my|our) (?:first|second|third))?"
    r" (?P<expected>(?:in|on|next|this) .+)",
    r"i am due (?P<born>(?:in|on|next|this) .+)",
    r"i am (?P<pregnant>(?:\w+ (?:months|weeks) )?pregnant)(?: with (?:twins|triplets|(?:my|our) .+"
    r"|an? (?:boy|girl)))?",
    r"my time ?zone is (?P<timezone>.+)",
    r"i am in (?:the )?(?P<timezone>.+?) time ?zone",
    r"my e-?mail(?: address)? is (?P<email>.+)",
    r"my (?:new )?(?:number|(?:mobile|cell|(?:(?:mobile|cell) ?)?phone|telephone)(?: number)?) is (?P<phone>.+)",
    r"you can (?:call|reach|text) me (?:at|on|under) (?P<phone>.+)",
    r"you can (?:reach|e-?mail) me (?:at|under) (?P<email>.+)",
    r"(?:i am(?: called| named)?|my names are) (?P<several>.+)",
    r"i am (?P<sure_name>[^,]{2,40}), (?P<age>\d\d)(?: years old)?,? (?:and )?from (?P<came>.+)",
    r"i am (?P<sure_name>[^,]{2,40}), (?P<age>\d\d)(?: years old)?,? (?:and )?an? (?P<job>.+)",
    r"i am (?P<sure_name>[^,]{2,40}), (?P<age>\d\d)(?: years old)?(?:, .+)?",
    r"i am [a-z]{2,15}, (?P<age>\d\d)(?: years old)?,? (?:and )?from (?P<came>.+)",
    r"i am (?P<sure_name>.+?), an? (?P<job>.+)",
    r"i am (?P<sure_name>.+?)(?:,? (?:an?|the|from|and) .+)?",
)
PATTERNS = tuple(re.compile(row, re.IGNORECASE) for row in _ROWS)
_BY_FIRST_WORD = {
    word: tuple(pattern for row, pattern in zip(_ROWS, PATTERNS, strict=True) if not row.startswith(other))
    for word, other in (("i", "my "), ("my", "i "))
}


def patterns_for(said: str) -> tuple[re.Pattern[str], ...]:
    """Those that may fit."""
    return _BY_FIRST_WORD.get(said.partition(" ")[0].lower(), PATTERNS)
