//! Markup of XML, also broken.

use super::*;

#[test]
fn markup_of_xml() {
    xml(
        "<?xml version='1.0'?><a:b c=\"d\" C='e'/>f<g >&lt;</g >",
        "?xml:version='1.0'|<a:b c=\"d\" C='e' />|f|<g>|&lt;|</g>",
    );
    xml(
        "<é/><title><b></title><script>a<b></script>",
        "<é />|<title>|<b>|</title>|<script>|a|<b>|</script>",
    );
    xml(
        "<!-- > - -- --!> --><![CDATA[<a>]] ]]]]><!---->",
        "! > - -- --!> |cdata:<a>]] ]]|!",
    );
    xml("<!--><a>-->", "!><a>");
    xml(
        "<?php echo '>'; ?><?a?><? b?><?c",
        "?php:echo '>'; |?a:|?:b|?c:",
    );
    xml(
        "<!DOCTYPE a [<!ENTITY b ']>'><!-- ' ]> --><?c ]> ?>] ><a>",
        "doctype: a [<!ENTITY b ']>'><!-- ' ]> --><?c ]> ?>] |<a>",
    );
    xml(
        "<!DOCTYPE a SYSTEM '[' \"x\"><a>",
        "doctype: a SYSTEM '[' \"x\"|<a>",
    );
}

#[test]
fn broken_xml_is_read_on() {
    xml("a < b <1> </><a", "a < b <1> |!|residue:<a");
    xml("</><b>", "!|<b>");
    xml("<a <b c=d<e></f <g/>", "<a>|<b c=d>|<e>|</f>|<g />");
    xml("<a b=c d e=f/>", "<a b=c d e=f/>");
    xml("<?xml version=\"1.0\"><a>", "?xml:version=\"1.0\"|<a>");
    xml(
        "<?xml-stylesheet href='x'><a>",
        "?xml-stylesheet:href='x'|<a>",
    );
    xml("<!DOCTYPE a \"b><c>", "doctype: a \"b|<c>");
    xml(
        "<!DOCTYPE a [<!ENTITY b 'c><d>",
        "doctype: a [<!ENTITY b 'c|<d>",
    );
    xml("<!DOCTYPE a", "doctype: a");
    xml("<!--a--", "!a--");
    xml("<![CDATA[a]]", "cdata:a]]");
    xml("<!x><![INCLUDE[<!doctype>", "!x|![INCLUDE[<!doctype");
}
