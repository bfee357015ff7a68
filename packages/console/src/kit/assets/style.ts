/** The stylesheet of all pages. Text colours meet WCAG AA contrast in light and dark mode. */
export const STYLE = `
:root {
  color-scheme: light dark;
  --page: #f6f7f6; --card: #ffffff; --line: #d9dedb; --text: #1b2421; --soft: #53605b;
  --accent: #0b6b5d; --accent-soft: #e3f1ee; --code: #f0f3f1;
  --nuget: #004880; --npm: #9c1c1a; --oci: #5b3a9e;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #121715; --card: #1a211e; --line: #313b37; --text: #e7ecea; --soft: #a3b0ab;
    --accent: #6fd0be; --accent-soft: #1d332e; --code: #101513;
    --nuget: #8cc4f5; --npm: #f5a09d; --oci: #c3aef5;
  }
}
*, *::before, *::after { box-sizing: border-box; }
body {
  margin: 0; background: var(--page); color: var(--text);
  font: 1rem/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif;
}
h1, h2, h3, p, ol, ul, dl, dd, pre { margin: 0; padding: 0; }
h1, h2, h3 { line-height: 1.25; text-wrap: balance; }
a { color: var(--accent); text-underline-offset: .2em; }
a:focus-visible, summary:focus-visible {
  outline: 3px solid var(--accent); outline-offset: 2px; border-radius: 4px;
}
.wrap { max-width: 72rem; margin: 0 auto; padding: 0 1rem; }
.skip { position: absolute; left: -999px; }
.skip:focus { left: 1rem; top: .5rem; background: var(--card); padding: .5rem 1rem; z-index: 1; }
.top { background: var(--card); border-bottom: 1px solid var(--line); }
.top .wrap { padding-top: 2rem; padding-bottom: 2rem; }
.brand { display: flex; align-items: center; gap: .75rem; }
.brand svg { flex: none; width: 2.5rem; height: 2.5rem; color: var(--accent); }
h1 { font-size: 1.75rem; letter-spacing: -.01em; overflow-wrap: anywhere; }
.lead { margin-top: .6rem; color: var(--soft); max-width: 46rem; }
.facts { display: flex; flex-wrap: wrap; gap: .5rem; margin-top: 1rem; list-style: none; }
.facts li {
  border: 1px solid var(--line); border-radius: 999px; padding: .15rem .8rem;
  font-size: .875rem; overflow-wrap: anywhere;
}
.facts .on { border-color: var(--accent); background: var(--accent-soft); color: var(--accent); }
main.wrap, .columns.wrap { display: grid; gap: 1.5rem; padding-top: 1.75rem; padding-bottom: 3rem; }
main > *, .columns > * { min-width: 0; }
.stack { display: grid; gap: 1.5rem; align-content: start; }
.stack > * { min-width: 0; }
.card {
  background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 1.25rem;
}
h2 { font-size: 1.2rem; }
.card > h2 + * { margin-top: .5rem; }
.guide { border-top: 3px solid var(--tone); }
.nuget { --tone: var(--nuget); } .npm { --tone: var(--npm); } .oci { --tone: var(--oci); }
.address { color: var(--soft); font-size: .9rem; }
.address code { overflow-wrap: anywhere; }
.steps { list-style: none; display: grid; gap: 1.1rem; margin-top: 1rem; }
.steps > li { min-width: 0; }
h3 { font-size: .95rem; margin-bottom: .4rem; }
.soft { overflow-wrap: anywhere; }
.note, .soft { color: var(--soft); font-size: .875rem; }
.note { margin-top: .35rem; overflow-wrap: anywhere; }
code, pre {
  font-family: ui-monospace, SFMono-Regular, "Cascadia Mono", Menlo, Consolas, monospace;
  font-size: .84rem;
}
pre {
  background: var(--code); border: 1px solid var(--line); border-radius: 6px;
  padding: .6rem .8rem; line-height: 1.6; white-space: pre-wrap; overflow-wrap: anywhere;
}
pre .line { display: block; padding-left: 2ch; text-indent: -2ch; }
pre .option { display: inline-block; max-width: 100%; text-indent: 0; }
pre .line + .line { margin-top: .3rem; }
.packages { list-style: none; }
.packages li {
  display: grid; grid-template-columns: 1fr auto; gap: .1rem .75rem;
  padding: .65rem 0; border-top: 1px solid var(--line);
}
.packages li:first-child { border-top: 0; padding-top: .25rem; }
.packages .name { font-weight: 600; overflow-wrap: anywhere; }
.packages .version { overflow-wrap: anywhere; }
.packages + p { margin-top: .75rem; }
.packages time { grid-column: 1; color: var(--soft); font-size: .85rem; }
.tag {
  color: var(--tone); font-size: .8rem; font-weight: 600; align-self: start; padding-top: .15rem;
}
.pairs { display: grid; gap: .7rem; margin-top: .9rem; }
.pairs ~ p { margin-top: 1rem; }
.pairs dt { color: var(--soft); font-size: .85rem; }
.pairs dd { overflow-wrap: anywhere; }
details { margin-top: 1rem; }
summary { cursor: pointer; color: var(--accent); }
details > * + * { margin-top: .6rem; }
footer { border-top: 1px solid var(--line); color: var(--soft); font-size: .875rem; }
footer .wrap {
  display: flex; flex-wrap: wrap; gap: .25rem 1.5rem; padding-top: 1rem; padding-bottom: 2rem;
}
main.lost { display: block; max-width: 42rem; padding-top: 4rem; padding-bottom: 4rem; }
.lost p { margin-top: .8rem; overflow-wrap: anywhere; }
@media (min-width: 60rem) {
  main, .columns { grid-template-columns: minmax(0, 1.7fr) minmax(0, 1fr); }
  .card { padding: 1.5rem; }
}
`;
