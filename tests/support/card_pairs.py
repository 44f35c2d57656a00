"""Pairs for trying the judging card: plain ones in English and Korean, and hostile ones. Knows no server."""

ENGLISH = (
    (
        "what is a lobster roll",
        "The asker wants to know what the dish is made of and where it comes from. Recipes count only if they say so.",
    ),
    ("how are volcanic islands formed", ""),
    (
        "who is robert gray",
        "Any well-known person of that name; the asker does not know which one. A page about a street or a school named after him does not help.",
    ),
)
KOREAN = (
    (
        "훈민정음은 언제 누가 만들었나요",
        "질문한 사람은 창제 연도와 만든 사람을 알고 싶어 합니다. 반포 연도만 있으면 부분적으로 도움이 됩니다.",
    ),
    ("전기차 배터리를 겨울에 오래 쓰는 방법", ""),
)
ENGLISH_TEXT = (
    "Lobster rolls are a sandwich native to New England, made of lobster meat served on a grilled hot dog-style bun. "
    "The meat is moistened with butter or mayonnaise; in Connecticut it is served warm, in Maine it is chilled.\n\n"
    "Volcanic islands form where magma rises from the mantle and breaks through the sea floor. Each eruption adds rock; "
    "an island is formed once the pile reaches the surface. Hot spots make chains, since the plate moves while the spot stays.\n\n"
    "Robert Gray was an American merchant sea captain who is known for his achievements in connection with two trading "
    "voyages to the northern Pacific coast of North America, between 1790 and 1793, which pioneered the maritime fur trade there.\n\n"
    "| state | served | dressing |\n| Maine | cold | mayonnaise |\n| Connecticut | warm | butter |\n\n"
)
KOREAN_TEXT = (
    "훈민정음(訓民正音)은 조선의 제4대 임금 세종이 1443년에 창제하여 1446년에 반포한 한국어의 표기 체계이다. "
    "세종은 백성이 쉽게 익혀 날마다 쓰는 데 편하게 하고자 훈민정음을 만들었다고 밝혔다.\n\n"
    "겨울철에는 전기차의 배터리 효율이 떨어진다. 출발 전에 배터리를 예열하고, 충전은 실내에서 하며, 급가속을 피하면 주행 거리를 늘릴 수 있다. "
    "배터리는 20%에서 80% 사이로 유지하는 것이 좋다.\n\n"
)
LEVELS = {
    "en": (
        (0, "Not relevant", "Has nothing to do with what was asked.", "Query: lobster roll. A page about egg rolls."),
        (
            1,
            "Related",
            "On the subject, but does not answer.",
            "Query: lobster roll. A page about how lobsters are caught.",
        ),
        (
            2,
            "Helpful",
            "Answers in part, or the answer has to be dug out.",
            "Query: lobster roll. A menu that names what is in it.",
        ),
        (
            3,
            "Answers fully",
            "The answer is there, whole and plain.",
            "Query: lobster roll. An article that says what it is and where it is from.",
        ),
    ),
    "ko": (
        (0, "관련 없음", "질문과 아무 관계가 없다.", "질문: 랍스터 롤. 달걀말이에 대한 글."),
        (1, "관련 있음", "같은 주제이지만 답은 없다.", "질문: 랍스터 롤. 랍스터를 잡는 방법에 대한 글."),
        (2, "도움이 됨", "일부만 답하거나 답을 찾아내야 한다.", "질문: 랍스터 롤. 재료가 적힌 메뉴판."),
        (3, "완전한 답", "답이 온전하고 분명하게 있다.", "질문: 랍스터 롤. 무엇이고 어디에서 왔는지 설명한 글."),
    ),
}
HOSTILE = (
    (
        "script",
        "<script>window.hacked = 1</script><img src=x onerror='window.hacked = 2'><svg onload='window.hacked = 3'>",
    ),
    (
        "markdown",
        "# Heading\n\n![pixel](https://tracker.invalid/p.png) :red[text] :material/home: **bold** [link](javascript:alert(1)) $5 and $10 -> arrow\n```mermaid\ngraph TD\n```",
    ),
    ("latex", r"$\frac{1}{2}$ $$\int_0^1 x\,dx$$ \begin{matrix}1\end{matrix}"),
    ("bidi", "start \u202egnp.exe\u202c end \u2067right\u2069 \u200f\u202d never closed \u202e tail"),
    ("control", "bell\x07 null\x00 escape\x1b[31m form\x0c tab\tend \ufffe\ufeff"),
    ("arabic", "ما هي عاصمة فرنسا؟\nباريس هي عاصمة فرنسا، ويبلغ عدد سكانها أكثر من مليوني نسمة."),
    ("nothing", ""),
    ("blank", " \n\t \n"),
    ("one long line", "x" * 150_000),
    ("two megabytes", "word 단어 🦞 lobster\n" * 120_000),
)


def plain_pairs(count: int, language: str) -> list[dict]:
    """Pairs grouped by query, each document about 3,000 characters and naming its own number."""
    queries = KOREAN if language == "ko" else ENGLISH
    body = KOREAN_TEXT * 12 if language == "ko" else ENGLISH_TEXT * 3
    pairs = []
    for number in range(count):
        query, narrative = queries[number * len(queries) // count]
        title = f"제{number + 1}번 문서" if language == "ko" else f"Document number {number + 1}"
        text = f"[{number + 1}] {body}"[:3000]
        pairs.append(_pair(number + 1, query, narrative, title, text, f"https://example.org/{number + 1}"))
    return pairs


def hostile_pairs() -> list[dict]:
    """One pair for each kind of document that must be shown as text and break nothing."""
    return [
        _pair(
            number,
            "<b>what</b> is a lobster $x$",
            "**narrative** <i>",
            f"<i>{name}</i>",
            text,
            "javascript:alert(1)" if number == 1 else f"https://example.org/?a=<b>&n={number}",
        )
        for number, (name, text) in enumerate(HOSTILE, 1)
    ]


def _pair(number: int, query: str, narrative: str, title: str, text: str, url: str) -> dict:
    return {
        "pair": number,
        "query_id": f"q{query[:4]}",
        "query": query,
        "narrative": narrative,
        "columns": {},
        "doc_id": f"d{number:04}",
        "title": title,
        "url": url,
        "text": text[:200_000],
        "length": len(text),
        "whole": text,
        "shown": f"hash-{number}",
        "rubric_version": 1,
        "mine": None,
    }
