// Seeds: texts that meet every special rule of the analyzer, and broken ones.
#pragma once

#include <string>
#include <vector>

namespace fuzz {

inline std::vector<std::string> nasty_texts() {
    using namespace std::string_literals;
    return {
        "",
        "a",
        "The quick_brown fox jumps over 13 lazy dogs, doesn't it? THE FOX DOES.",
        "free entry to WIN 1,000 cash!! text WIN to 80085 now",
        "abcdefghijklmnopqrstuvwxyz_ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789",  // one block less a byte: no separator
        std::string(64, 'x') + std::string(64, 'Y') + "z",
        std::string(15, 'k') + " " + std::string(16, 'k') + " " + std::string(17, 'k'),  // about the inline key
        "ΟΔΟΣ ΣΑΣ Σ. Α'Σ' ΑΣ\u00ad\u0301Β",
        "İstanbul ISPARTA ıı ẞ Ⱥ K Å ǅ",
        "e\u0301 Ñandú \u0301alone a\u20dd \u0307\u0308",
        "हिन्दी शब्द বাংলা తెలుగు",
        "漢字かなカナ゙ガーkana漢 ที่นี่ ຂອບໃຈ ကျေးဇူး សួស្តី",
        "한국어 العربية עברית ⅧV ²½ ٣",
        "\U00010400\U0001F600\U0001F1E9\U0010FFFF\uFFFE",
        "a\0b\0\0 c\0"s,
        " \t\r\n\v\f\x1c\x1d\x1e\x1f\x85\u00a0\u1680\u2003\u2028\u3000 x",
        "\x80\xbf\xc0\xc1\xc3"s,
        "a\xc0\xaf"
        "b\xe0\x80\x80"
        "c\xe2\x82"
        "d\xed\xa0\x80"
        "e\xed\xbf\xbf"
        "f"s,
        "g\xf0\x80\x80\x80"
        "h\xf0\x9f\x98"
        "i\xf4\x90\x80\x80"
        "j\xf5\xff\xfe"s,
        "Σ\xc3Σ\x80Σ\xf0\x9fΣ"s,
    };
}

inline std::vector<std::string> nasty_tables() {
    using namespace std::string_literals;
    return {
        "",
        "label,text\nham,hello\nspam,\"free, \"\"entry\"\"\nto win\"\n",
        "label\ttext\r\nham\thello there\r\nspam\tWIN\r\n",
        "a,b,c\n1,2,3\n\n\r\n4,5,6",
        "a,b\n\"unterminated,1\n2,3\n",
        "a,b\n1\n1,2,3\n",
        "\"\",\"\"\n\"\"\"\",\"a\"b\n",
        "one\ntwo\n\nthree\r",
        "\r\n\r\n\r,\r\n",
        "a,b\n" + std::string(100, 'x') + "," + std::string(9, '"') + "\n",
        ",,,\n,,,\n",
        "\xef\xbb\xbf"
        "a,b\n\0,\xff\n"s,
    };
}

}  // namespace fuzz
