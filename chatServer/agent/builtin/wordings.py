"""What the built-in responder says, in five languages."""

INTRODUCTION = {
    "en": "I am the built-in responder, not a language model",
    "de": "Ich bin der eingebaute Antworter, kein Sprachmodell",
    "ru": "Я встроенный ответчик, а не языковая модель",
    "es": "Soy el contestador integrado, no un modelo de lenguaje",
    "fr": "Je suis le répondeur intégré, pas un modèle de langage",
}

PHRASES: dict[str, dict[str, str]] = {
    "en": {
        "hello": "Hello! {introduction}: I answer from your notes, your memories and what is said here. Tell me what"
        " to remember.",
        "thanks": "You are welcome.",
        "heard": "Thank you for telling me.",
        "will_remember": "Thank you, I will remember that.",
        "not_now": "I could not look up everything that I remember just now. Ask me again in a moment.",
        "fine": "All right. Ask me something, or tell me what to remember.",
        "unknown": "I find nothing about that in your notes, your memories or this conversation.",
        "nearest": "I find nothing that says just that. Nearest to it is:",
        "no_eyes": "I cannot see pictures: I only read what is written.",
        "looked_in": "I find nothing about that in your notes, your memories, this conversation or the documents. I"
        " looked in: {0}.",
        "add_model": "{introduction}. For real answers, whoever runs this server can add one:"
        " `MODEL=openai:gpt-5-mini` with `MODEL_API_KEY`, or `MODEL_BASE_URL` for any OpenAI-compatible server.",
        "can_look_in": "I can look into these documents:",
        "no_articles": "I have no documents to look into. You can upload some: `POST /api/knowledge`, or `chatserver"
        " knowledge add`.",
        "noted": "Noted: {0}",
        "no_alarm": "I cannot call on you when it is time: ask me, and I tell you.",
        "said_on": "said on {0}",
        "noted_before": "It is in your notes already: {0}",
        "forgotten": "Forgotten: {0}",
        "stays": "What was said of it stays in its chats, and may be quoted there until they are deleted.",
        "all_forgotten": "I have cleared your notes. What else I have learned you can see and delete among your"
        " memories; what was said in chats is still found until the chat, or all your data, is deleted.",
        "nothing_to_forget": "I find nothing like that in your notes or memories.",
        "know_nothing": "I know nothing about you yet. Say “remember that …”, and I note it.",
        "no_tool": "I cannot take notes here: this agent has no tool for it.",
        "memory_off": "I cannot take notes here: memory is off in this chat.",
        "failed": "That did not work: {0}",
        "notes": "From your notes",
        "memories": "From your memories",
        "articles": "From the documents",
        "summary": "From earlier in this conversation",
        "said": "Earlier you said",
    },
    "de": {
        "hello": "Hallo! {introduction}: Ich antworte aus deinen Notizen, deinen Erinnerungen und dem, was hier gesagt"
        " wurde. Sag mir, was ich mir merken soll.",
        "thanks": "Gern geschehen.",
        "heard": "Danke, dass du mir das sagst.",
        "will_remember": "Danke, das merke ich mir.",
        "not_now": "Ich konnte gerade nicht alles nachschlagen, woran ich mich erinnere. Frag mich gleich noch einmal.",
        "fine": "Gut. Frag mich etwas, oder sag mir, was ich mir merken soll.",
        "unknown": "Dazu finde ich nichts in deinen Notizen, deinen Erinnerungen oder diesem Gespräch.",
        "no_eyes": "Bilder kann ich nicht sehen: Ich lese nur, was geschrieben ist.",
        "looked_in": "Dazu finde ich nichts in deinen Notizen, deinen Erinnerungen, diesem Gespräch oder den"
        " Dokumenten. Nachgesehen habe ich in: {0}.",
        "add_model": "{introduction}. Wer diesen Server betreibt, kann eines hinzufügen: `MODEL=openai:gpt-5-mini` mit"
        " `MODEL_API_KEY`, oder `MODEL_BASE_URL` für jeden OpenAI-kompatiblen Server.",
        "can_look_in": "In diesen Dokumenten kann ich nachsehen:",
        "no_articles": "Ich habe keine Dokumente, in denen ich nachsehen könnte. Du kannst welche hochladen: `POST"
        " /api/knowledge`, oder `chatserver knowledge add`.",
        "noted": "Notiert: {0}",
        "no_alarm": "Von selbst melden kann ich mich nicht: Frag mich, und ich sage es dir.",
        "said_on": "gesagt am {0}",
        "noted_before": "Das steht schon in deinen Notizen: {0}",
        "forgotten": "Vergessen: {0}",
        "stays": "Was dazu gesagt wurde, bleibt in seinen Chats und kann dort zitiert werden, bis sie gelöscht sind.",
        "all_forgotten": "Ich habe deine Notizen geleert. Was ich sonst gelernt habe, kannst du unter deinen"
        " Erinnerungen sehen und löschen; was in Chats gesagt wurde, wird gefunden, bis der Chat oder alle deine Daten"
        " gelöscht sind.",
        "nothing_to_forget": "So etwas finde ich in deinen Notizen und Erinnerungen nicht.",
        "know_nothing": "Ich weiß noch nichts über dich. Sag „merk dir, dass …“, und ich notiere es.",
        "no_tool": "Ich kann hier nichts notieren: Dieser Agent hat kein Werkzeug dafür.",
        "memory_off": "Ich kann hier nichts notieren: In diesem Chat ist das Gedächtnis aus.",
        "failed": "Das hat nicht geklappt: {0}",
        "notes": "Aus deinen Notizen",
        "memories": "Aus deinen Erinnerungen",
        "articles": "Aus den Dokumenten",
        "summary": "Von früher in diesem Gespräch",
        "said": "Du hast vorhin gesagt",
    },
    "ru": {
        "hello": "Здравствуйте! {introduction}: отвечаю по вашим заметкам, воспоминаниям и тому, что здесь сказано."
        " Скажите, что запомнить.",
        "thanks": "Пожалуйста.",
        "heard": "Спасибо, что сказали.",
        "will_remember": "Спасибо, я это запомню.",
        "not_now": "Сейчас я не смог просмотреть всё, что помню. Спросите чуть позже ещё раз.",
        "fine": "Хорошо. Спросите меня о чём-нибудь или скажите, что запомнить.",
        "unknown": "Об этом ничего нет ни в ваших заметках, ни в воспоминаниях, ни в этом разговоре.",
        "no_eyes": "Картинок я не вижу: читаю только написанное.",
        "looked_in": "Об этом ничего нет ни в ваших заметках, ни в воспоминаниях, ни в этом разговоре, ни в документах."
        " Просмотрено: {0}.",
        "add_model": "{introduction}. Тот, кто держит этот сервер, может её добавить: `MODEL=openai:gpt-5-mini` и"
        " `MODEL_API_KEY`, или `MODEL_BASE_URL` для любого сервера, совместимого с OpenAI.",
        "can_look_in": "Я могу искать в этих документах:",
        "no_articles": "Документов, в которых можно искать, нет. Их можно загрузить: `POST /api/knowledge` или"
        " `chatserver knowledge add`.",
        "noted": "Записано: {0}",
        "no_alarm": "Сам напомнить в нужное время я не могу: спросите, и я скажу.",
        "said_on": "сказано {0}",
        "noted_before": "Это уже есть в ваших заметках: {0}",
        "forgotten": "Забыто: {0}",
        "stays": "Сказанное об этом остаётся в своих чатах; там его можно процитировать, пока они не удалены.",
        "all_forgotten": "Ваши заметки очищены. Остальное, что я узнал, можно посмотреть и удалить среди воспоминаний;"
        " сказанное в чатах находится, пока не удалён сам чат или все ваши данные.",
        "nothing_to_forget": "В ваших заметках и воспоминаниях ничего такого нет.",
        "know_nothing": "Пока я ничего о вас не знаю. Скажите «запомни, что …», и я запишу.",
        "no_tool": "Здесь я не могу вести заметки: у этого агента нет такого инструмента.",
        "memory_off": "Здесь я не могу вести заметки: в этом чате память выключена.",
        "failed": "Не получилось: {0}",
        "notes": "Из ваших заметок",
        "memories": "Из ваших воспоминаний",
        "articles": "Из документов",
        "summary": "Ранее в этом разговоре",
        "said": "Раньше вы сказали",
    },
    "es": {
        "hello": "¡Hola! {introduction}: respondo con tus notas, tus recuerdos y lo que se dice aquí. Dime qué debo"
        " recordar.",
        "thanks": "De nada.",
        "heard": "Gracias por contármelo.",
        "will_remember": "Gracias, lo recordaré.",
        "not_now": "Ahora no he podido consultar todo lo que recuerdo. Pregúntame otra vez en un momento.",
        "fine": "De acuerdo. Pregúntame algo o dime qué debo recordar.",
        "unknown": "No encuentro nada sobre eso en tus notas, tus recuerdos ni esta conversación.",
        "no_eyes": "No puedo ver imágenes: solo leo lo que está escrito.",
        "looked_in": "No encuentro nada sobre eso en tus notas, tus recuerdos, esta conversación ni los documentos. He"
        " buscado en: {0}.",
        "add_model": "{introduction}. Quien administra este servidor puede añadir uno: `MODEL=openai:gpt-5-mini` con"
        " `MODEL_API_KEY`, o `MODEL_BASE_URL` para cualquier servidor compatible con OpenAI.",
        "can_look_in": "Puedo buscar en estos documentos:",
        "no_articles": "No tengo documentos en los que buscar. Puedes subir algunos: `POST /api/knowledge`, o"
        " `chatserver knowledge add`.",
        "noted": "Anotado: {0}",
        "no_alarm": "No puedo avisarte por mi cuenta: pregúntame y te lo digo.",
        "said_on": "dicho el {0}",
        "noted_before": "Ya está en tus notas: {0}",
        "forgotten": "Olvidado: {0}",
        "stays": "Lo que se dijo de ello queda en sus chats y puede citarse allí hasta que se borren.",
        "all_forgotten": "He borrado tus notas. Lo demás que he aprendido puedes verlo y borrarlo entre tus recuerdos;"
        " lo dicho en los chats se sigue encontrando hasta que se borre el chat, o todos tus datos.",
        "nothing_to_forget": "No encuentro nada así en tus notas ni en tus recuerdos.",
        "know_nothing": "Todavía no sé nada de ti. Di «recuerda que …» y lo anoto.",
        "no_tool": "Aquí no puedo tomar notas: este agente no tiene la herramienta.",
        "memory_off": "Aquí no puedo tomar notas: la memoria está desactivada en este chat.",
        "failed": "No ha funcionado: {0}",
        "notes": "De tus notas",
        "memories": "De tus recuerdos",
        "articles": "De los documentos",
        "summary": "De antes en esta conversación",
        "said": "Antes dijiste",
    },
    "fr": {
        "hello": "Bonjour ! {introduction} : je réponds avec vos notes, vos souvenirs et ce qui est dit ici."
        " Dites-moi quoi retenir.",
        "thanks": "Je vous en prie.",
        "heard": "Merci de me le dire.",
        "will_remember": "Merci, je m'en souviendrai.",
        "not_now": "Je n'ai pas pu consulter à l'instant tout ce dont je me souviens. Redemandez-le-moi dans"
        " un moment.",
        "fine": "D'accord. Posez-moi une question, ou dites-moi quoi retenir.",
        "unknown": "Je ne trouve rien à ce sujet dans vos notes, vos souvenirs ni cette conversation.",
        "no_eyes": "Je ne vois pas les images : je ne lis que ce qui est écrit.",
        "looked_in": "Je ne trouve rien à ce sujet dans vos notes, vos souvenirs, cette conversation ni les documents."
        " J'ai cherché dans : {0}.",
        "add_model": "{introduction}. Qui gère ce serveur peut en ajouter un : `MODEL=openai:gpt-5-mini` avec"
        " `MODEL_API_KEY`, ou `MODEL_BASE_URL` pour tout serveur compatible avec OpenAI.",
        "can_look_in": "Je peux chercher dans ces documents :",
        "no_articles": "Je n'ai pas de documents où chercher. Vous pouvez en ajouter : `POST /api/knowledge`, ou"
        " `chatserver knowledge add`.",
        "noted": "C'est noté : {0}",
        "no_alarm": "Je ne peux pas vous prévenir de moi-même : demandez-le-moi, et je vous le dis.",
        "said_on": "dit le {0}",
        "noted_before": "C'est déjà dans vos notes : {0}",
        "forgotten": "Oublié : {0}",
        "stays": "Ce qui en a été dit reste dans ses chats et peut y être cité tant qu'ils ne sont pas effacés.",
        "all_forgotten": "J'ai vidé vos notes. Le reste de ce que j'ai appris se voit et s'efface parmi vos souvenirs ;"
        " ce qui a été dit dans les chats reste trouvable tant que le chat, ou toutes vos données, n'est pas effacé.",
        "nothing_to_forget": "Je ne trouve rien de tel dans vos notes ni vos souvenirs.",
        "know_nothing": "Je ne sais encore rien de vous. Dites « retiens que … » et je le note.",
        "no_tool": "Je ne peux pas prendre de notes ici : cet agent n'a pas l'outil.",
        "memory_off": "Je ne peux pas prendre de notes ici : la mémoire est désactivée dans ce chat.",
        "failed": "Cela n'a pas marché : {0}",
        "notes": "De vos notes",
        "memories": "De vos souvenirs",
        "articles": "Des documents",
        "summary": "Plus tôt dans cette conversation",
        "said": "Vous avez dit plus tôt",
    },
}
