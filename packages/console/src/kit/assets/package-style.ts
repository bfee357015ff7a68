/** Additional styles of package pages. */
export const PACKAGES_STYLE = `
:root {
  --warn: #7a4a00; --warn-soft: #fdf1dc; --warn-line: #e3b765;
  --bad: #9c1c1a; --bad-soft: #fdeceb; --bad-line: #e39b98;
}
@media (prefers-color-scheme: dark) {
  :root {
    --warn: #f3c677; --warn-soft: #33270f; --warn-line: #75581f;
    --bad: #f5a09d; --bad-soft: #371a19; --bad-line: #7d3735;
  }
}
.unseen {
  position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%);
  white-space: nowrap;
}
.bar { background: var(--card); border-bottom: 1px solid var(--line); }
.bar .wrap {
  display: flex; flex-wrap: wrap; align-items: center; gap: .6rem 1.5rem;
  padding-top: .7rem; padding-bottom: .7rem;
}
.bar nav { display: flex; flex-wrap: wrap; gap: .1rem 1.2rem; }
.bar a { text-decoration: none; padding: .15rem 0; }
.bar a:hover { text-decoration: underline; }
.bar .visitor, .brand .visitor { margin-left: auto; overflow-wrap: anywhere; }
.bar .quick + .visitor { margin-left: 0; }
.bar .brand { color: var(--text); font-weight: 650; gap: .5rem; overflow-wrap: anywhere; }
.bar .brand svg { width: 1.6rem; height: 1.6rem; }
.quick { margin-left: auto; display: flex; flex: 0 1 24rem; min-width: 0; }
.quick input { flex: 1 1 auto; min-width: 0; }
input, select, button { font: inherit; color: inherit; }
input:not([type="radio"]), select {
  background: var(--page); border: 1px solid var(--field); border-radius: 6px;
  padding: .45rem .65rem; width: 100%; min-width: 0;
}
:root { --field: #7f8b86; }
@media (prefers-color-scheme: dark) { :root { --field: #71807a; } }
::placeholder { color: var(--soft); opacity: 1; }
input:focus-visible, select:focus-visible, button:focus-visible, .scroll:focus-visible {
  outline: 3px solid var(--accent); outline-offset: 2px;
}
button {
  background: var(--accent); color: var(--card); border: 1px solid var(--accent);
  border-radius: 6px; padding: .45rem 1rem; font-weight: 600; cursor: pointer;
}
button:hover { filter: brightness(1.08); }
[hidden] { display: none !important; }
.quick input, .joined input { border-radius: 6px 0 0 6px; border-right: 0; }
.quick button, .joined button { border-radius: 0 6px 6px 0; }
.joined { display: flex; }
label { font-size: .875rem; font-weight: 600; }
.search { display: grid; gap: 1rem; }
.search label { display: block; margin-bottom: .3rem; }
.filters { display: grid; gap: .8rem 1rem; }
.columns.one, main.one { grid-template-columns: minmax(0, 1fr); }
.summary { font-size: .95rem; font-weight: 600; color: var(--soft); }
.hits { list-style: none; margin-top: .75rem; display: grid; gap: .75rem; }
.hit {
  display: grid; grid-template-columns: 3rem minmax(0, 1fr); gap: .25rem 1rem;
  background: var(--card); border: 1px solid var(--line); border-radius: 10px;
  padding: 1rem 1.25rem;
}
.hit h3 { font-size: 1.1rem; margin: 0; overflow-wrap: anywhere; }
.hit h3 a { text-decoration: none; }
.hit h3 a:hover { text-decoration: underline; }
.version { color: var(--soft); font-weight: 400; font-size: .85em; overflow-wrap: anywhere; }
.icon { width: 3rem; height: 3rem; object-fit: contain; border-radius: 8px; color: var(--accent); }
.hit a.version { display: inline-block; min-height: 1.5rem; }
.badges { display: flex; flex-wrap: wrap; gap: .35rem; }
.badges:empty { display: none; }
.badges:not(:empty) { margin-top: .3rem; }
.badge {
  display: inline-block; border: 1px solid var(--line); border-radius: 999px;
  padding: 0 .6rem; font-size: .78rem; line-height: 1.5; font-weight: 600; color: var(--soft);
}
.badge.kind { color: var(--accent); background: var(--accent-soft); border-color: var(--accent); }
.badge.warn { color: var(--warn); background: var(--warn-soft); border-color: var(--warn-line); }
.badge.bad { color: var(--bad); background: var(--bad-soft); border-color: var(--bad-line); }
.description { margin-top: .35rem; overflow-wrap: anywhere; }
.meta {
  display: flex; flex-wrap: wrap; gap: .1rem 1.1rem; margin-top: .4rem;
  color: var(--soft); font-size: .875rem;
}
.meta span { overflow-wrap: anywhere; min-width: 0; }
.tags, .frameworks { list-style: none; display: flex; flex-wrap: wrap; gap: .35rem; }
.hit .tags { margin-top: .5rem; }
.tags a, .frameworks li {
  display: inline-block; background: var(--code); border: 1px solid var(--line);
  border-radius: 6px; padding: .1rem .55rem; font-size: .8rem; overflow-wrap: anywhere;
}
.tags li, .frameworks li { min-width: 0; max-width: 100%; }
.tags a { text-decoration: none; min-height: 1.5rem; }
.tags a:hover { text-decoration: underline; }
.pager {
  display: flex; flex-wrap: wrap; justify-content: space-between; gap: .5rem 1rem;
  margin-top: 1.25rem;
}
.pager a[rel="next"] { margin-left: auto; }
.empty { padding: 2rem 0; }
.top.package .wrap {
  display: grid; grid-template-columns: auto minmax(0, 1fr); gap: .75rem 1.25rem;
  padding-top: 1.5rem; padding-bottom: 1.5rem;
}
.top.package .icon { width: 3.5rem; height: 3.5rem; }
h1 .version { font-size: .72em; white-space: normal; }
.top.package .lead { max-width: 52rem; margin-top: .4rem; }
.top.package .soft { margin-top: .25rem; overflow-wrap: anywhere; }
.clipped {
  display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 3; overflow: hidden;
  overflow-wrap: anywhere;
}
.said { white-space: pre-line; overflow-wrap: anywhere; }
.banner {
  border: 1px solid var(--line); border-left-width: 5px; border-radius: 8px; padding: .8rem 1rem;
  background: var(--card); overflow-wrap: anywhere;
}
.banner h2 { font-size: 1rem; }
.banner ul { padding-left: 1.2rem; margin-top: .3rem; }
.banner p { margin-top: .3rem; }
p.banner { margin: 0; }
.banner.warn { border-color: var(--warn-line); background: var(--warn-soft); }
.banner.warn h2 { color: var(--warn); }
.banner.bad { border-color: var(--bad-line); background: var(--bad-soft); }
.banner.bad h2 { color: var(--bad); }
.banner.calm { border-left-color: var(--accent); }
.choices { border: 0; margin: .9rem 0 0; padding: 0; min-width: 0; display: flex; flex-wrap: wrap; }
.choices input { position: absolute; opacity: 0; }
.choices label {
  padding: .4rem .8rem; border-bottom: 3px solid transparent; cursor: pointer;
  color: var(--soft);
}
.choices label:hover { color: var(--text); }
.choices input:checked + label { color: var(--accent); border-bottom-color: var(--accent); }
.choices input:focus-visible + label {
  outline: 3px solid var(--accent); outline-offset: -2px; border-radius: 4px;
}
.panel {
  display: none; flex: 1 0 100%; min-width: 0; max-width: 100%; padding-top: .9rem;
  border-top: 1px solid var(--line); margin-top: -1px;
}
.place-0:checked ~ .panel-0, .place-1:checked ~ .panel-1, .place-2:checked ~ .panel-2,
.place-3:checked ~ .panel-3, .place-4:checked ~ .panel-4 { display: grid; gap: 1rem; }
.snippet {
  display: grid; grid-template-columns: minmax(0, 1fr) auto; gap: .35rem .75rem; align-items: end;
}
.snippet .label { color: var(--soft); font-size: .875rem; min-height: 1.9rem; align-content: end; }
.snippet pre { grid-column: 1 / -1; }
.card > .snippet { margin-top: .9rem; }
.card > p + .pairs:not(:first-of-type) { margin-top: 1.5rem; }
.copy {
  background: none; color: var(--accent); border-color: var(--line);
  padding: .1rem .7rem; font-size: .84rem;
}
.plain { list-style: none; display: grid; gap: .55rem; }
.card > h2 + .plain, .card > .soft + .plain, .card > .plain + .soft { margin-top: .75rem; }
.plain li { overflow-wrap: anywhere; }
.group { margin-top: .8rem; }
.group .plain { padding-left: 1.1rem; }
summary { overflow-wrap: anywhere; }
.scroll { position: relative; overflow-x: auto; border-radius: 6px; }
.card > h2 + .scroll { margin-top: .75rem; }
table { border-collapse: collapse; width: 100%; font-size: .92rem; }
th, td {
  text-align: left; padding: .45rem .75rem .45rem 0; border-bottom: 1px solid var(--line);
  vertical-align: top;
}
thead th { color: var(--soft); font-size: .84rem; white-space: nowrap; }
tbody th { font-weight: 600; overflow-wrap: anywhere; min-width: 9rem; }
tbody th .badges { display: inline-flex; margin: 0 0 0 .35rem; }
tbody th [aria-current] { color: var(--text); }
td { white-space: nowrap; }
.to-left { text-align: left; } .to-center { text-align: center; } .to-right { text-align: right; }
h2 > label { font: inherit; }
h2 > code { font-size: inherit; }
h2 + input { width: 100%; }
.buttons { display: flex; flex-wrap: wrap; gap: .5rem; margin-top: .75rem; }
.number { text-align: right; font-variant-numeric: tabular-nums; }
th.number:last-child, td.number:last-child { padding-right: 0; }
.numbers { grid-template-columns: 1fr; }
.numbers > div { display: flex; justify-content: space-between; gap: 1rem; }
.numbers dt { flex: none; max-width: 60%; overflow-wrap: anywhere; }
.numbers dd { text-align: right; font-variant-numeric: tabular-nums; }
.long { overflow-wrap: anywhere; }
.pairs dd .tags, .pairs dd .frameworks { margin-top: .3rem; }
.card > pre, pre.card { margin-top: .75rem; }
pre.card { padding: 1.25rem; }
.readme { margin-top: .75rem; overflow-wrap: anywhere; }
.readme > * + * { margin-top: .8rem; }
.readme h3 { font-size: 1.25rem; } .readme h4 { font-size: 1.1rem; }
.readme h5, .readme h6 { font-size: 1rem; margin: 0; line-height: 1.25; }
.readme * + h3, .readme * + h4 { margin-top: 1.5rem; margin-bottom: 0; }
.readme * + h5, .readme * + h6 { margin-top: 1.2rem; }
.readme ul, .readme ol { padding-left: 1.6rem; }
.readme li + li, .readme li > * + * { margin-top: .3rem; }
.readme blockquote {
  margin-inline: 0; padding-left: 1rem; border-left: 4px solid var(--line); color: var(--soft);
}
.readme :not(pre) > code {
  background: var(--code); border: 1px solid var(--line); border-radius: 4px; padding: .05rem .3rem;
}
.readme hr { border: 0; border-top: 1px solid var(--line); margin: 1.2rem 0; }
.readme td { white-space: normal; }
.readme table code { overflow-wrap: normal; }
#readme { padding-bottom: .6rem; border-bottom: 1px solid var(--line); }
.readme .image {
  display: inline-block; border: 1px solid var(--line); border-radius: 6px; padding: 0 .5rem;
  font-size: .84rem; color: var(--soft);
}
.tag-filter {
  display: flex; flex-wrap: wrap; align-items: end; gap: .6rem 1.25rem; margin: .75rem 0 1rem;
}
.tag-filter > div { flex: 1 1 12rem; }
.tag-filter label { display: block; margin-bottom: .3rem; }
.tag-filter .switch { font-weight: 400; padding: .4rem 0; margin: 0; }
input[type="checkbox"] { width: auto; margin-right: .35rem; }
.history { padding-left: 1.6rem; display: grid; gap: .8rem; }
.history li { min-width: 0; }
h3.apart { margin-top: 1.1rem; }
.buttons { display: flex; flex-wrap: wrap; align-items: center; gap: .75rem 1.5rem; }
button.bad { background: var(--bad); border-color: var(--bad); }
main.lost ul { margin-top: .75rem; }
.lost h2 { margin-top: 1.75rem; }
@media (min-width: 40rem) {
  .filters { grid-template-columns: repeat(3, minmax(0, 1fr)); }
  .top.package .icon { width: 5rem; height: 5rem; }
}
@media (max-width: 39.99rem) {
  .quick { flex: 1 1 100%; margin-left: 0; }
  .hit { grid-template-columns: 2.25rem minmax(0, 1fr); padding: .9rem 1rem; gap: .25rem .75rem; }
  .hit .icon { width: 2.25rem; height: 2.25rem; }
  .panel { padding-top: .75rem; }
}
`;
