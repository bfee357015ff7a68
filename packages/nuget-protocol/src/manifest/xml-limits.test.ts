import { expect, test } from "vitest";
import { limitTrouble, XML_LIMITS } from "./xml-limits.ts";
import { parseXml } from "./xml.ts";

const list = (count: number, item: (index: number) => string, between = "") =>
  Array.from({ length: count }, (_, index) => item(index)).join(between);
const attributes = (count: number) => list(count, (index) => `a${index}="="`, " ");
const { attributesOfElement, depth, namespaces, references, tags } = XML_LIMITS;
const elements = Math.floor(XML_LIMITS.attributes / attributesOfElement);
const full = `<b ${attributes(attributesOfElement)}/>`;

/** Texts at a limit, and the same texts with one more. */
test.each<[string, (more: 0 | 1) => string, string]>([
  ["tags", (more) => `<p>${"<!-- -->".repeat(tags - 2 + more)}</p>`, "10000 tags"],
  [
    "attributes in one element",
    (more) => `<p ${attributes(attributesOfElement + more)}></p>`,
    "100 attributes in one element",
  ],
  [
    "attributes",
    (more) => `<p>${full.repeat(elements)}${more === 1 ? '<c d="" />' : ""}</p>`,
    "20000 attributes",
  ],
  [
    "namespaces",
    (more) =>
      `<p xmlns = 'u'>${list(namespaces - 1 + more, (index) => `<n xmlns:n${index}="u"/>`)}</p>`,
    "100 namespaces",
  ],
  [
    "references",
    (more) => `<p a="&#65;">${"&lt;".repeat(references - 1 + more)}</p>`,
    "10000 references to characters or entities",
  ],
  [
    "levels",
    (more) => "<a>".repeat(depth + more) + "</a>".repeat(depth + more),
    "16 levels of elements",
  ],
])("takes as many %s as an XML text may have, and not one more", (_, textWith, words) => {
  expect(parseXml(Buffer.from(textWith(0)))).toMatchObject({ status: "read" });
  expect(parseXml(Buffer.from(textWith(1)))).toEqual({
    status: "unreadable",
    problem: `it has more than ${words}`,
  });
});

test.each([
  ["a comment", `<p><!-- <a ${attributes(200)}> ${"<a>".repeat(20)} --></p>`],
  ["a CDATA section", `<p><![CDATA[<a ${attributes(200)}> ${"<a>".repeat(20)}]]></p>`],
  ["an attribute", `<p a="${'=>xmlns:a="'.replaceAll('"', "'").repeat(200)}"/>`],
  ["a text", `<p>${"a = ' > ".repeat(20_000)}</p>`],
])("counts no markup in %s", (_, text) => {
  expect(limitTrouble(text)).toBeUndefined();
});
