"""Lists of words by which facts are told from talk."""

from chatServer.memory.facts.words import word_set

PEOPLE = word_set(
    "mother father mom mum dad gran nan granny grandad granddad sister brother wife husband partner spouse fiance"
    " fiancée fiancé son daughter grandmother grandfather grandma grandpa aunt uncle cousin niece nephew girlfriend"
    " boyfriend friend boss colleague roommate flatmate neighbour neighbor stepmother stepfather stepson stepdaughter"
    " baby child stepsister stepbrother half-sister half-brother grandson granddaughter godmother godfather godson"
    " goddaughter mother-in-law father-in-law sister-in-law brother-in-law son-in-law daughter-in-law"
)
PARTNERS = word_set("wife husband partner spouse fiance fiancé fiancée girlfriend boyfriend")
CHILDREN = word_set("son daughter baby kid child children")
PETS = word_set("dog cat puppy kitten rabbit hamster parrot horse tortoise turtle fish bird snake lizard pet goldfish")
PLURALS = {
    "parents": "parent", "children": "child", "kids": "kid", "wives": "wife", "twins": "twin",
    "puppies": "puppy", "babies": "baby", "fish": "fish", "goldfish": "goldfish", "siblings": "sibling",
    "grandparents": "grandparent",
    **{f"{word}s": word for word in PEOPLE | PETS if word not in ("wife", "child", "puppy", "baby", "fish")},
}  # fmt: skip
KIN = PEOPLE | PETS | frozenset(PLURALS) | {"kid", "sibling", "grandparent", "twin"}

TECHNOLOGIES = word_set(
    "python javascript typescript java kotlin swift rust golang ruby php perl scala haskell elixir clojure"
    " lua bash html css sql postgres postgresql mysql sqlite mongodb redis kafka rabbitmq docker kubernetes"
    " terraform ansible linux windows macos android ios aws azure gcp react vue angular svelte node nodejs"
    " deno django flask fastapi spring rails laravel pytorch tensorflow numpy pandas git github gitlab nginx"
    " graphql grpc langchain openai"
    " excel word powerpoint jira slack emacs vim vscode notion figma photoshop jupyter"
    " vercel netlify supabase firebase heroku cloudflare chatgpt gpt claude gemini gmail outlook spotify"
    " netflix shopify kanban scrum agile waterfall"
    " wordpress chrome firefox safari ubuntu debian fedora arch nixos zsh neovim intellij pycharm cursor"
    " copilot tailwind"
    " nextjs vite webpack bun pnpm npm yarn poetry uv pip conda elasticsearch snowflake bigquery airflow spark"
    " databricks lightroom darktable gimp krita inkscape godot obsidian evernote onenote logseq trello asana todoist"
    " confluence bitbucket dropbox onedrive icloud nextcloud thunderbird protonmail bitwarden lastpass whatsapp"
    " telegram discord mastodon bluesky instagram tiktok youtube hetzner digitalocean latex matlab autocad"
)
# After "I'm": a capital makes no name of these.
NOT_NAMES = word_set(
    "a an the not so very just really sorry sure happy sad tired hungry thirsty busy fine good great ok okay"
    " well bad"
    " ready done here back there home alone lost stuck confused curious interested afraid scared worried"
    " excited glad"
    " grateful thankful new old young big small sick ill cold hot late early free available single married divorced"
    " engaged pregnant retired unemployed vegan vegetarian aware certain wrong right correct able unable going"
    " trying"
    " looking working using getting having doing thinking feeling living planning writing reading learning studying"
    " wondering asking talking coming leaving moving starting making running english french german italian spanish"
    " american british canadian australian european african asian indian chinese japanese korean russian ukrainian"
    " polish dutch swedish norwegian danish finnish irish scottish welsh portuguese brazilian mexican turkish greek"
    " catholic christian muslim jewish hindu buddhist atheist monday tuesday wednesday thursday friday saturday"
    " sunday"
    " january february march april june july august september october november december in on at from with by"
    " for to"
    " out off up down over under about your my his her their our this that it you he she they we what who how"
    " why all"
    " none both only also still always never maybe probably too more most less an as like gay straight human ai"
    " later"
    " tomorrow today crazy old-fashioned anytime when if back again now soon asap whatever anything something"
    " yes no please thanks hello hi hey dear team tbh lol also currently based born left used mud"
    " required taken missing empty unknown secret irrelevant important long short weird common rare different"
    " changed away"
    " misspelled invalid null undefined batman superman spiderman groot legion spelled written hidden"
    " swiss austrian belgian nigerian kenyan egyptian moroccan israeli iranian iraqi saudi pakistani"
    " bangladeshi thai"
    " vietnamese filipino indonesian malaysian singaporean argentinian argentine chilean colombian peruvian"
    " venezuelan"
    " cuban jamaican icelandic estonian latvian lithuanian hungarian romanian bulgarian serbian croatian"
    " slovenian slovak"
    " czech albanian bosnian ethiopian ghanaian nepali taiwanese lebanese syrian latino latina hispanic black white"
    " pisces virgo libra scorpio sagittarius capricorn aquarius taurus aries god jesus senior junior head chief"
    " lead"
)
# Alone after "I'm" these are no name, either; beside another word they may be one.
STATES = word_set(
    "bored exhausted alive pro drunk dead dying broke broken hurt annoyed upset angry mad jealous shocked surprised"
    " amazed impressed disappointed frustrated blessed blocked stunned overwhelmed relieved nervous anxious depressed"
    " lonely stressed sleepy high sober awake asleep outside inside online offline away gone finished serious joking"
    " kidding lazy blind deaf weak strong poor smart stupid dumb proud honest innocent guilty adopted blonde bald"
    " tall short injured infected hurting freezing starving speechless clueless helpless hopeless homeless jobless"
    " republican democrat liberal conservative libertarian protestant lutheran orthodox mormon sikh agnostic baptist"
    " lesbian bi trans queer bisexual asexual pansexual nonbinary diabetic autistic dyslexic epileptic cancer"
    " texan californian parisian londoner berliner bavarian scandinavian sicilian catalan basque flexitarian"
    " pescatarian omnivore introvert extrovert yours mine everywhere nobody everybody everything nothing next first"
    " last second positive negative neutral normal amazing awesome perfect terrible horrible awful better worse"
)
NOT_PLACES = word_set(
    "fear hope peace denial hell heaven poverty luxury pain silence shame debt harmony sin exile town general"
    " particular"
    " fact reality mind bed prison jail hospital school college university work office total order person public"
    " private student love trouble style comfort squalor isolation darkness here there it this that which what"
    " somewhere anywhere nowhere everywhere one two both the a an my your his her their our an interesting constant"
    " rural urban shared temporary marketing finance sales tech it healthcare education english german french"
    " spanish"
    " another such many several some any different various these those and or near next with without work home mine"
    " outer time years months days weeks case terms hindsight theory practice today tomorrow retrospect abroad"
    " behind hr tears code vs excel january february march april may june july august september october november"
    " december monday tuesday wednesday thursday friday saturday sunday tue tues wed weds thu thur thurs fri"
    " spring summer autumn winter apartment flat house room building street unit block condo dorm"
    " team google microsoft apple amazon meta facebook ibm oracle intel nvidia anthropic siemens bosch hostel"
)
# To which one moves from another of them; a lake may be called so.
PRODUCTS = word_set(
    "trellis signal teams zoom miro canva sketch affinity ableton reaper cubase sap salesforce hubspot zendesk stripe"
    " paypal revolut monzo wise kindle kobo playstation xbox nintendo opera brave edge duckduckgo deepl grammarly"
    " duolingo strava garmin fitbit substack medium reddit threads patreon zig julia typst overleaf zotero"
    " basecamp linear clickup airtable anytype roam bear joplin raindrop pocket feedly plex jellyfin tidal deezer"
)
# Those that are known without their capital.
TOWNS = word_set(
    "aachen aarhus aberdeen accra adelaide algiers amman ankara antwerp bandung bangalore bari bergen bialystok bilbao"
    " bochum bonn braga brno bruges brunswick cadiz cagliari canberra caracas casablanca catania charleroi"
    " chattanooga cincinnati cleveland coimbra coventry cracow curitiba dakar dallas darmstadt debrecen delft dhaka"
    " dijon duisburg dundee durban eindhoven espoo faro florence freiburg galway gdynia göttingen granada grenoble"
    " groningen guadalajara haarlem haifa harare havana heidelberg honolulu houston hyderabad ibiza izmir kabul"
    " kampala karachi karlsruhe kassel katowice kaunas khartoum kharkiv kingston klagenfurt kobe kolkata kosice kuwait"
    " lagos lahore leiden leuven leverkusen lille lima limerick lincoln linköping lodz luanda lund lviv maastricht"
    " macau malmö malmo mannheim maribor mechelen medellin memphis milwaukee minsk modena monterrey montevideo namur"
    " nantes nashville nijmegen norwich odense odessa omaha oporto orlando ostend oulu oviedo oxford padua pamplona"
    " parma perugia pisa plovdiv poznan quebec quito rabat reykjavik rostock sacramento salamanca sapporo"
    " santiago skopje sofia southampton stavanger stettin swansea szczecin szeged tampere tampa tehran thessaloniki"
    " tilburg tirana trieste trondheim tucson tunis turku uppsala valletta varna verona vigo wellington winnipeg"
    " wolverhampton wroclaw wuppertal würzburg york zaragoza"
    " amsterdam athens atlanta auckland baltimore bangkok barcelona basel beijing belfast belgrade berlin bern"
    " birmingham bogota bologna bordeaux boston bratislava bremen brisbane bristol brussels bucharest budapest cairo"
    " calgary cardiff chennai chicago cologne copenhagen delhi denver detroit dortmund dresden dubai dublin dubrovnik"
    " dusseldorf düsseldorf edinburgh frankfurt gdansk geneva genoa ghent glasgow gothenburg graz hamburg hanoi"
    " hanover helsinki innsbruck istanbul jakarta jerusalem johannesburg kiev krakow kyiv kyoto lausanne leeds"
    " leicester leipzig linz lisbon liverpool ljubljana london lucerne lyon madrid malaga manchester manila marseille"
    " melbourne miami milan minneapolis montreal moscow mumbai munich nairobi naples newcastle nottingham nuremberg"
    " osaka oslo ottawa palermo paris perth philadelphia pittsburgh portland porto potsdam prague riga rome rotterdam"
    " salzburg sarajevo seattle seoul seville shanghai sheffield singapore stockholm strasbourg stuttgart sydney"
    " taipei tallinn tbilisi tokyo toronto toulouse turin utrecht valencia vancouver venice vienna vilnius warsaw"
    " yerevan zagreb zurich zürich"
)
# With the states of America: where one moves to and from.
COUNTRIES = word_set(
    "albania algeria argentina armenia australia austria azerbaijan bangladesh belarus belgium bolivia brazil bulgaria"
    " cambodia cameroon canada chile china colombia croatia cuba cyprus czechia denmark ecuador egypt england estonia"
    " ethiopia finland france georgia germany ghana greece greenland hungary iceland india indonesia iran iraq ireland"
    " israel italy jamaica japan kazakhstan kenya korea kosovo kuwait latvia lebanon liechtenstein lithuania luxembourg"
    " malaysia malta mexico moldova monaco mongolia montenegro morocco nepal netherlands nigeria norway pakistan panama"
    " paraguay peru philippines poland portugal qatar romania russia scotland senegal serbia slovakia slovenia spain"
    " sudan sweden switzerland syria taiwan tanzania thailand tunisia turkey uganda ukraine uruguay uzbekistan"
    " venezuela vietnam wales yemen zambia zimbabwe europe asia africa america zealand jersey hampshire york orleans"
    " alabama alaska arizona arkansas california colorado connecticut delaware florida hawaii idaho illinois indiana"
    " iowa kansas kentucky louisiana maine maryland massachusetts michigan minnesota mississippi missouri montana"
    " nebraska nevada ohio oklahoma oregon pennsylvania tennessee texas utah vermont virginia wisconsin wyoming"
)
# By which a car is named, in small letters; what is more often something else ("a Mini", "a Seat") is not among them.
MAKES = word_set(
    "volvo fiat golf volkswagen vw audi bmw mercedes porsche opel vauxhall ford toyota honda nissan mazda subaru"
    " suzuki mitsubishi hyundai kia skoda škoda peugeot renault citroën citroen dacia tesla polestar lexus jeep"
    " chevrolet chevy dodge cadillac buick chrysler lancia maserati ferrari lamborghini bentley saab yaris corolla"
    " prius civic passat polo twingo clio zoe fiesta corsa"
)
MAKES_IN_DOUBT = word_set("golf polo civic passat twingo clio zoe fiesta corsa dodge lancia")  # without a capital
# Where one works, and says "the" of it: "I work at the library".
WORKPLACES = word_set(
    "library hospital clinic pharmacy bakery school kindergarten nursery university college academy museum zoo theatre"
    " theater airport supermarket factory brewery warehouse restaurant bookshop bookstore embassy court council"
    " ministry institute observatory"
)
WORK_ONLY = word_set("hospital clinic pharmacy bakery factory brewery warehouse restaurant supermarket")
# What is studied, and switched to.
SUBJECTS = word_set(
    "anthropology archaeology architecture astronomy biochemistry biology botany business chemistry economics"
    " engineering geography geology history informatics journalism law linguistics literature mathematics maths math"
    " medicine musicology nursing pharmacy philosophy physics psychology sociology statistics theology zoology"
)
COLOURS = word_set(
    "black white grey gray red orange yellow green blue purple violet pink brown turquoise teal cyan magenta beige gold"
    " silver navy maroon lilac lavender indigo crimson"
)
LANDS = word_set("uk usa uae")  # after a town, without a comma
REGIONS = word_set("northern southern eastern western central mainland inner outer the")
PLACE_STARTS = word_set(
    "new san los las hong south north east west cape buenos rio st saint tel abu costa sri united el"
)
NOT_ORGS = word_set(
    "home night day noon work least weekends times scale speed it that this once all present moment first last hand"
    " free myself me them him her us you yourself fun money peanuts food hours years months weeks days minutes"
    " ages about over nothing something anything some many it's what which who whom the my your our his their"
    " and or now your"
)
# Where one starts without working there.
NOT_COMPANIES = word_set(
    "the university uni college school academy kindergarten gym harvard oxford cambridge stanford mit yale princeton"
    " zero level chapter step page part line home work bottom midnight noon"
)
JOBS = word_set(
    "accountant actor actress analyst anesthesiologist animator archaeologist architect artist astronomer"
    " attorney author"
    " baker banker barber barista bartender biologist bookkeeper builder butcher carpenter cashier chef chemist"
    " cleaner"
    " clerk coach comedian composer conductor consultant contractor cook copywriter counselor counsellor"
    " curator dancer"
    " dentist designer detective developer dietitian director diver doctor driver economist editor electrician"
    " engineer"
    " entrepreneur farmer filmmaker firefighter fisherman florist freelancer gardener geologist geophysicist"
    " hairdresser"
    " historian illustrator instructor interpreter janitor jeweller journalist judge lawyer lecturer librarian"
    " lifeguard"
    " linguist locksmith machinist magician manager marketer mathematician mechanic midwife miner model"
    " musician nanny"
    " neurologist novelist nurse nutritionist optician painter paralegal paramedic pastor pediatrician pharmacist"
    " philosopher photographer physician physicist physiotherapist pianist pilot plumber poet policeman"
    " politician porter"
    " postdoc potter priest producer professor programmer psychiatrist psychologist radiologist realtor"
    " receptionist"
    " recruiter reporter researcher roofer sailor salesman salesperson scientist sculptor secretary singer"
    " sociologist"
    " soldier statistician surgeon surveyor tailor teacher technician therapist trader trainer"
    " translator tutor"
    " veterinarian vet violinist waiter waitress welder writer zookeeper officer assistant intern apprentice"
    " geneticist carer caregiver courier groomer electrician"
)
FIELDS = word_set(
    "marketing finance sales tech technology it healthcare education hr law construction retail hospitality"
    " logistics"
    " insurance banking advertising publishing journalism pharma biotech consulting accounting medicine engineering"
    " agriculture aviation tourism architecture design research academia government film media cybersecurity"
)
LANGUAGES = word_set(
    "english german french spanish italian portuguese russian ukrainian polish czech slovak dutch swedish norwegian"
    " danish finnish icelandic estonian latvian lithuanian hungarian romanian bulgarian serbian croatian"
    " slovenian greek"
    " turkish arabic hebrew persian farsi urdu hindi bengali punjabi tamil telugu marathi gujarati mandarin"
    " cantonese"
    " chinese japanese korean vietnamese thai indonesian malay tagalog swahili amharic somali yoruba hausa zulu"
    " afrikaans irish welsh catalan basque latin esperanto albanian armenian georgian kazakh mongolian nepali"
)
PLAYED = word_set(
    "guitar piano violin drums bass cello flute saxophone ukulele trumpet clarinet harp accordion keyboard"
    " viola banjo"
    " football soccer basketball tennis volleyball chess golf badminton hockey rugby cricket baseball squash poker"
)
CONDITIONS = word_set(
    "asthma diabetes adhd autism dyslexia epilepsy migraines celiac eczema arthritis anxiety depression insomnia"
    " hypertension hypothyroidism tinnitus endometriosis"
)
VEHICLES = word_set("truck van motorcycle bus taxi scooter motorbike tractor pickup hybrid")
LOOSE_KIN = word_set("friend boss colleague roommate flatmate neighbour neighbor child baby partner pet")
# Who does something for somebody, of whom one has one at a time.
ROLES = word_set(
    "doctor gp dentist therapist psychiatrist vet accountant lawyer landlord landlady supervisor tutor hairdresser"
    " physiotherapist manager"
)
EVENTS = word_set(
    "appointment interview exam flight meeting wedding surgery deadline presentation concert marathon operation"
    " graduation anniversary checkup conference funeral test party trip audition date"
)
ZONES = word_set(
    "utc gmt cet cest eet eest est edt cst cdt mst mdt pst pdt bst ist jst kst msk aest aedt acst awst nzst wet"
)
# What is said of the talk itself, or of nothing in particular, is no taste.
NOT_THINGS = word_set(
    "it this that these those you your yours he she him his her hers they them their us we our i me my mine"
    " what how"
    " when where why which who whom whose if whether is are was were be been am do does did will would can"
    " could should"
    " might must has had here there one ones something anything everything nothing someone anyone everyone"
    " thing things"
    " stuff idea ideas way ways fact result results answer answers response responses suggestion suggestions option"
    " options version versions code error errors approach feature features part parts sound look looks feeling"
    " direction"
    " example examples first second third last next other another same both all none some any more less much many"
    " thought question questions point topic plan progress advice draft output because but not never said same"
    " lot bit"
    " least most neither either such too also just better bullshit nonsense vibe concept solution suggestion"
    " choice each every few sort kind number"
)
NOT_DONE = word_set(
    "think say know see ask be have do hear get point add start try use learn believe imagine call make keep go"
    " give take"
    " being having getting seeing hearing knowing going doing saying thinking admit bother interrupt disappoint"
    " break"
    " discuss understand help work explore talk find tell look need want"
)
THE_LIKED = word_set(
    "sea beach mountains ocean outdoors theatre theater cinema opera rain snow sun winter summer autumn spring"
    " forest"
    " countryside desert cold heat dark city nature ballet gym water night"
)
NOT_EATEN = word_set(
    "enough anything after lunch breakfast dinner out lot well healthy late early alone less more too it that"
    " this here now much games"
)
# Of two of one row only one can be preferred: the new one takes the place of the other.
AXES = {
    word: row[0]
    for row in (
        ("light", "dark"), ("window", "aisle", "middle"), ("short", "long", "brief", "detailed", "concise", "lengthy"),
        ("metric", "imperial"), ("formal", "informal", "casual"), ("morning", "afternoon", "evening"),
        ("hot", "cold", "iced"), ("red", "white"), ("soft", "hard"),
    )
    for word in row
}  # fmt: skip
