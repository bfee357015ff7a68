import { array, assert, constantFrom, property } from "fast-check";
import { expect, test } from "vitest";
import { renderMarkdown } from "./markdown.ts";

const REL = 'rel="nofollow noopener noreferrer"';

/** The only tags that a readme may become. */
const TAG = new RegExp(
  [
    "</?(?:p|em|strong|s|code|pre|ul|li|blockquote|table|thead|tbody|h[3-6]|div|span|a)>",
    "<(?:br|hr)>",
    '</?ol(?: start="\\d+")?>',
    '</?(?:tr|th|td)(?: class="to-(?:left|right|center)")?>',
    '<h[3-6] id="readme-[^"<>]*">',
    `<a href="(?:https?://|mailto:|#readme-)[^"<>]*"(?: title="[^"<>]*")? ${REL}>`,
    `<a class="image" href="https?://[^"<>]*" ${REL}>`,
    '<span class="image">',
    '<div class="scroll" role="group" aria-label="Table" tabindex="0">',
  ].join("|"),
  "g",
);

/** Removes all allowed tags; the rest must contain no tag. */
function strayMarkup(html: string): string {
  return html.replaceAll(TAG, "").match(/[<>][^]{0,40}/)?.[0] ?? "";
}

test.each([
  ["# One\n\n## Two", '<h3 id="readme-one">One</h3>\n<h4 id="readme-two">Two</h4>\n'],
  ["###### Six", '<h3 id="readme-six">Six</h3>\n'],
  ["# A\n\n##### B", '<h3 id="readme-a">A</h3>\n<h4 id="readme-b">B</h4>\n'],
  ["# A\n\n# A", '<h3 id="readme-a">A</h3>\n<h3 id="readme-a-1">A</h3>\n'],
  ["**a** `b` ~~c~~", "<p><strong>a</strong> <code>b</code> <s>c</s></p>\n"],
  ["```cs\nif (a < b) {}\n```", "<pre><code>if (a &lt; b) {}\n</code></pre>\n"],
  [
    "see https://a.example/x",
    `<p>see <a href="https://a.example/x" ${REL}>https://a.example/x</a></p>\n`,
  ],
  ["<https://a.example>", `<p><a href="https://a.example/" ${REL}>https://a.example</a></p>\n`],
  ["[a](mailto:a@b.example)", `<p><a href="mailto:a@b.example" ${REL}>a</a></p>\n`],
  ["[go](#Getting-Started)", `<p><a href="#readme-getting-started" ${REL}>go</a></p>\n`],
  ["see readme.md or a@b.example", "<p>see readme.md or a@b.example</p>\n"],
])("renders %j", (markdown, html) => {
  expect(renderMarkdown(markdown)).toBe(html);
});

test.each([
  ["[x](javascript:alert(1))", "<p>x</p>\n"],
  ["[x](JaVaScRiPt:alert(1))", "<p>x</p>\n"],
  ["[x](&#x6A;avascript:alert(1))", "<p>x</p>\n"],
  ["[x](java&Tab;script:alert(1))", "<p>x</p>\n"],
  ["[x](<java\tscript:alert(1)>)", "<p>x</p>\n"],
  ["[x](\u0001javascript:alert(1))", "<p>[x](\u0001javascript:alert(1))</p>\n"],
  ["[x](vbscript:x)", "<p>x</p>\n"],
  ["[x](data:text/html;base64,PHNjcmlwdD4=)", "<p>x</p>\n"],
  ["[x](file:///etc/passwd)", "<p>x</p>\n"],
  ["[x](//evil.example/y)", "<p>x</p>\n"],
  ["[x](docs/more.md)", "<p>x</p>\n"],
  ["[x]: javascript:alert(1)\n\n[x]", "<p>x</p>\n"],
  ["<javascript:alert(1)>", "<p>javascript:alert(1)</p>\n"],
  ["![x](javascript:alert(1))", '<p><span class="image">x</span></p>\n'],
  ["![x](data:image/svg+xml,<svg>)", '<p><span class="image">x</span></p>\n'],
  ["![](pic.png)", '<p><span class="image">image</span></p>\n'],
])("does not link %j", (markdown, html) => {
  expect(renderMarkdown(markdown)).toBe(html);
});

test.each([
  ["<script>alert(1)</script>", ""],
  ["a <b onclick=x>bold</b> <!-- c --> end", "<p>a bold  end</p>\n"],
  ["one<br/>two", "<p>one<br>\ntwo</p>\n"],
  ["<iframe src=https://evil.example></iframe>", ""],
  ["<p align=center>\n<img src=x onerror=alert(1)>\nHi\n</p>", "<p>Hi</p>\n"],
  ["<style>body{display:none}</style>", ""],
  ["&lt;script&gt;alert(1)&lt;/script&gt;", "<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>\n"],
  ["<div>&lt;img src=x&gt;</div>", "<p>&amp;lt;img src=x&amp;gt;</p>\n"],
  ["`<img src=x>`", "<p><code>&lt;img src=x&gt;</code></p>\n"],
])("lets no tag of %j through", (markdown, html) => {
  expect(renderMarkdown(markdown)).toBe(html);
});

test("an image becomes a link and never loads", () => {
  const html = renderMarkdown(
    "[![build](https://a.example/b.svg)](https://ci.example) ![x](http://b/c)",
  );
  expect(html).toBe(
    `<p><a href="https://ci.example/" ${REL}><span class="image">build</span></a> ` +
      `<a class="image" href="http://b/c" ${REL}>x</a></p>\n`,
  );
});

test.each([
  '[a](https://x.example/"onmouseover="alert(1))',
  '[a](https://x.example "title\\" onmouseover=\\"alert(1)")',
  '![a" onerror="alert(1)](https://x.example/)',
  "# <a name=x>a</a> \" onclick=alert(1) '",
  "| a |\n|---|\n| <script>x</script> |",
  "[a](<https://x.example/><img src=x>)",
  "[![a](https://a.example)](javascript:x) [b [c](https://c.example)](https://b.example)",
  '```"><script>alert(1)</script>\nx\n```',
  "- [ ] <input type=checkbox>",
  "1. a\n999999999. b",
  "|a|b|\n|:-:|-:|\n|1|2|",
  "[x][]\n\n[x]: <https://a.example> 'a\">b'",
  "\\<script> \\[a](b) \\`",
  '<a href="javascript:alert(1)">x</a>\n\n<svg/onload=alert(1)>',
])("makes no markup of its author's out of %j", (markdown) => {
  expect(strayMarkup(renderMarkdown(markdown))).toBe("");
});

const PIECES = [
  ..."< > [ ] ( ) ! * _ ` # | \" ' & ; : / \\ - = ~ a 1".split(" "),
  " ",
  "\n",
  "\t",
  "javascript:",
  "https://a.example/",
  "data:",
  "<script>",
  "</script>",
  "<!--",
  "-->",
  "<a href=",
  "<img src=x onerror=",
  "&#x6A;",
  "&lt;",
  "\n\n",
  "![",
  "](",
  "```",
  "|-|\n",
];

test("produces no unsafe HTML from random text", () => {
  const text = array(constantFrom(...PIECES), { maxLength: 40 }).map((all) => all.join(""));
  assert(
    property(text, (markdown) => {
      const html = renderMarkdown(markdown);
      expect(strayMarkup(html)).toBe("");
    }),
    { numRuns: 3_000 },
  );
});
