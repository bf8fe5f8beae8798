//! How large the XML of diskspd may be, for whoever reads it: profiles and results. The
//! library that reads it compares each attribute of an element with all before it, and
//! copies the namespaces of an element into those below, so that few bytes could keep it
//! busy for minutes.

/// Nodes of a document: a result has some hundred, with intervals some thousand.
pub(super) const XML_NODES_MAX: u32 = 2_000_000;

/// Attributes of one element: diskspd writes two at most.
const ATTRIBUTES_MAX: usize = 64;

/// Declarations of namespaces in a document: diskspd writes none, editors write a few.
const NAMESPACES_MAX: usize = 16;

/// What of a text is more than diskspd's XML has, if anything.
pub(super) fn xml_excess(text: &str) -> Option<&'static str> {
    if text.matches("xmlns").count() > NAMESPACES_MAX {
        return Some("it declares more than 16 namespaces");
    }
    let mut rest = text;
    while let Some(begin) = rest.find('<') {
        let markup = &rest[begin..];
        let passed = [("<!--", "-->"), ("<![CDATA[", "]]>"), ("<?", "?>")]
            .into_iter()
            .find(|(open, _)| markup.starts_with(open));
        let length = match passed {
            Some((_, close)) => markup.find(close)? + close.len(),
            None => {
                let (length, attributes) = element(markup);
                if attributes > ATTRIBUTES_MAX {
                    return Some("an element has more than 64 attributes");
                }
                length
            }
        };
        rest = &markup[length..];
    }
    None
}

/// Bytes of what begins an element, and how many attributes it has.
fn element(markup: &str) -> (usize, usize) {
    let (mut quote, mut attributes) = (None, 0);
    for (index, byte) in markup.bytes().enumerate() {
        match (quote, byte) {
            (Some(open), _) if open == byte => quote = None,
            (Some(_), _) => {}
            (None, b'"' | b'\'') => quote = Some(byte),
            (None, b'=') => attributes += 1,
            (None, b'>') => return (index + 1, attributes),
            (None, _) => {}
        }
    }
    (markup.len(), attributes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_diskspd_writes_is_no_excess() {
        for text in [
            "",
            "no XML <",
            "<?xml version=\"1.0\"?><!-- a=b=c < ' --><Profile><A B=\"=>'\" C='\"'/>=</Profile>",
            "<a><![CDATA[<b ' = >]]></a>",
            "<!-- without end <a b='1'>",
        ] {
            assert_eq!(xml_excess(text), None, "{text}");
        }
        let many = "<A B=\"1\" C=\"2\"/>".repeat(1_000);
        assert_eq!(xml_excess(&many), None);
    }

    #[test]
    fn what_would_keep_a_reader_busy_is() {
        let attributes: String = (0..65).map(|number| format!(" a{number}=''")).collect();
        for text in [
            format!("<b>text</b><!-- x --><a{attributes}/>"),
            format!("<a{attributes}"),
            "<a xmlns:b=''>".repeat(17),
        ] {
            assert!(xml_excess(&text).is_some(), "{text}");
        }
    }
}
