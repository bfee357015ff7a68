/** Parts of pages: cards, badges, notices, lists. */
export const PARTS = `
.unseen {
  position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%);
  white-space: nowrap;
}
.card {
  background: var(--card); border: 1px solid var(--line); border-radius: var(--r2);
  padding: var(--s4);
}
.card > :is(h2, h3) + *, .card > * + .scroll { margin-top: var(--s3); }
.card > * + h3, .card > * + .rows, .card > .note + *, .card > * + form { margin-top: var(--s4); }
.card > p + p, .card > dl + p { margin-top: var(--s2); }
pre.card { padding: var(--s5); }
.lost p, .lost ul, .lost .card, .lost h2 { margin-top: var(--s4); }
.lost .card h2 { margin-top: 0; }
.soft, .note, .meta, .label { color: var(--soft); font-size: var(--f1); }
.note { margin-top: var(--s1); }
tbody th .soft { display: block; font-weight: 400; }
.said { white-space: pre-line; }
.strong, .name { font-weight: 650; }
.badges { display: inline-flex; flex-wrap: wrap; gap: var(--s1); vertical-align: middle; }
p.badges { margin-top: var(--s2); }
.badge {
  border: 1px solid var(--line); border-radius: 99px; padding: 0 .55rem; background: var(--card);
  font-size: var(--f0); line-height: 1.6; font-weight: 600; color: var(--soft);
}
.badge:is(.kind, .good, .warn, .bad) { border-color: transparent; }
.badge.kind { color: var(--accent); background: var(--accent-soft); }
.badge.good { color: var(--good); background: var(--good-soft); }
.badge.warn { color: var(--warn); background: var(--warn-soft); }
.badge.bad { color: var(--bad); background: var(--bad-soft); }
.facts, .tags, .frameworks, .hits, .packages, .steps, .plain, .attention {
  list-style: none; padding: 0;
}
.facts { margin-top: var(--s4); }
.facts li { border: 1px solid var(--line); border-radius: 99px; padding: .1rem .7rem;
  font-size: var(--f1); }
.facts .on { border-color: var(--accent); background: var(--accent-soft); color: var(--accent); }
.tags, .frameworks { gap: var(--s1); }
.tags a, .frameworks li {
  display: inline-block; background: var(--sunk); border: 1px solid var(--line); min-height: 1.5rem;
  border-radius: var(--r1); padding: .05rem .5rem; font-size: var(--f0); text-decoration: none;
}
.tags li, .frameworks li { max-width: 100%; }
.guide { border-top: 3px solid var(--tone); }
.nuget { --tone: var(--nuget); } .npm { --tone: var(--npm); } .oci { --tone: var(--oci); }
.address { color: var(--soft); font-size: var(--f1); }
.steps, .plain, .history { display: grid; gap: var(--s2); }
.steps { gap: var(--s4); margin-top: var(--s4); } .history { gap: var(--s3); }
.steps > li { min-width: 0; }
.group { margin-top: var(--s3); } .group .plain { padding-inline-start: 1.1rem; }
.packages li {
  display: grid; grid-template-columns: 1fr auto; gap: .1rem var(--s3); padding: var(--s2) 0;
  border-top: 1px solid var(--line);
}
.packages li:first-child { border-top: 0; }
.packages time { grid-column: 1; color: var(--soft); font-size: var(--f0); }
.tag { color: var(--tone); font-size: var(--f0); font-weight: 600; }
.hits { display: grid; gap: var(--s3); margin-top: var(--s3); }
.hit {
  display: grid; grid-template-columns: 2.5rem minmax(0, 1fr); gap: var(--s1) var(--s4);
  background: var(--card); border: 1px solid var(--line); border-radius: var(--r2);
  padding: var(--s3) var(--s4);
}
.icon { width: 2.5rem; height: 2.5rem; color: var(--soft); object-fit: contain; }
img.icon { background: #fff; border-radius: var(--r1); }
.top .icon { width: 3.5rem; height: 3.5rem; }
.version { color: var(--soft); font-weight: 400; font-size: .85em; }
.hit h3 a { text-decoration: none; } .hit h3 a:hover { text-decoration: underline; }
.hit a.version { display: inline-block; min-height: 1.5rem; }
.top .soft { margin-top: var(--s1); }
.description, .meta { margin-top: var(--s1); }
.meta { gap: .1rem var(--s4); }
.clipped {
  display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 3; overflow: hidden;
}
.summary { font-size: var(--f1); font-weight: 600; color: var(--soft); }
.empty { padding: var(--s5) 0; color: var(--soft); }
.pairs { display: grid; gap: var(--s3); }
.card > .pairs { margin-top: var(--s3); }
.pairs ~ p { margin-top: var(--s4); }
.pairs dt { color: var(--soft); font-size: var(--f0); }
.pairs dd .tags, .pairs dd .frameworks { margin-top: var(--s1); }
.numbers { grid-template-columns: 1fr; }
.numbers > div { display: flex; justify-content: space-between; gap: var(--s4); }
.numbers dt { flex: none; max-width: 60%; }
.numbers dd { text-align: end; font-variant-numeric: tabular-nums; }
.banner {
  border: 1px solid var(--line); border-inline-start: 4px solid var(--accent);
  background: var(--card); border-radius: var(--r2); padding: var(--s3) var(--s4);
}
.banner.warn { border-inline-start-color: var(--warn); background: var(--warn-soft); }
.banner.bad { border-inline-start-color: var(--bad); background: var(--bad-soft); }
.banner h2 { font-size: var(--f2); }
.banner.warn h2 { color: var(--warn); } .banner.bad h2 { color: var(--bad); }
.tile {
  background: var(--card); border: 1px solid var(--line); border-radius: var(--r2);
  padding: var(--s3) var(--s4);
}
.tile b { display: block; font-size: var(--f4); font-variant-numeric: tabular-nums; }
.tile.good { border-inline-start: 4px solid var(--good); }
.tile.bad { border-inline-start: 4px solid var(--bad); }
.attention > li {
  display: grid; grid-template-columns: 1.5rem minmax(0, 1fr); gap: var(--s2);
  padding-block: var(--s2); border-top: 1px solid var(--line);
}
.attention > li:first-child { border-top: 0; }
.attention svg { width: 1.25rem; height: 1.25rem; margin-top: .1rem; }
.attention .warn { color: var(--warn); } .attention .bad { color: var(--bad); }
.choices { margin-top: var(--s3); display: flex; flex-wrap: wrap; }
.choices input { position: absolute; opacity: 0; }
.choices label {
  padding: .4rem .8rem; border-bottom: 3px solid transparent; cursor: pointer; color: var(--soft);
  font-weight: 400;
}
.choices label:hover { color: var(--text); }
.choices input:checked + label { color: var(--accent); border-bottom-color: var(--accent); }
.choices input:focus-visible + label { outline: 3px solid var(--accent); outline-offset: -2px; }
.panel {
  display: none; flex: 1 0 100%; min-width: 0; max-width: 100%; padding-top: var(--s4);
  border-top: 1px solid var(--line); margin-top: -1px; gap: var(--s4);
}
.place-0:checked ~ .panel-0, .place-1:checked ~ .panel-1, .place-2:checked ~ .panel-2,
.place-3:checked ~ .panel-3, .place-4:checked ~ .panel-4 { display: grid; }
.snippet {
  display: grid; grid-template-columns: minmax(0, 1fr) auto; gap: var(--s1) var(--s3);
  align-items: end;
}
.snippet .label { min-height: 1.9rem; align-content: end; }
.snippet pre { grid-column: 1 / -1; }
.card > .snippet, .card > pre { margin-top: var(--s3); }
pre .line { display: block; padding-left: 2ch; text-indent: -2ch; }
pre .option { display: inline-block; max-width: 100%; text-indent: 0; }
pre .line + .line { margin-top: .3rem; }
a.button, button.quiet {
  display: inline-block; border: 1px solid var(--edge); border-radius: var(--r2); font-weight: 600;
  padding: .35rem .9rem; min-height: 2.5rem; text-decoration: none; background: var(--card);
  color: var(--accent);
}
a.button:hover, button.quiet:hover { background: var(--accent-soft); }
button.bad { background: var(--card); color: var(--bad); border-color: var(--bad); }
button.bad:hover { background: var(--bad-soft); }
button:is(.copy, .small) {
  background: none; color: var(--accent); border-color: var(--line); min-height: 1.75rem;
  padding: 0 .6rem; font-size: var(--f0);
}
button.small[aria-pressed="true"] { background: var(--accent-soft); border-color: var(--accent); }
.buttons { margin-top: var(--s3); } td .buttons { margin: 0; } .buttons form { margin: 0; }
.field, .field > label:first-child, .asked > label { display: block; }
.field > label, .search label, .tag-filter label { display: block; margin-bottom: var(--s1); }
.field .switch { font-weight: 400; font-size: var(--f2); padding-block: .25rem; }
.problem { color: var(--bad); font-size: var(--f1); margin-top: var(--s1); }
.tag-filter { display: flex; flex-wrap: wrap; align-items: end; gap: var(--s3) var(--s5);
  margin-block: var(--s3) var(--s4); }
.tag-filter > div { flex: 1 1 12rem; }
.tag-filter .switch { font-weight: 400; padding-block: var(--s2); margin: 0; }
.readme { margin-top: var(--s3); }
.readme > * + * { margin-top: var(--s3); }
.readme h3 { font-size: var(--f3); } .readme :is(h4, h5, h6) { font-size: var(--f2); }
.readme * + :is(h3, h4, h5, h6) { margin-top: var(--s5); }
.readme li + li, .readme li > * + * { margin-top: .3rem; }
.readme blockquote {
  margin-inline: 0; padding-inline-start: var(--s4); border-inline-start: 4px solid var(--line);
  color: var(--soft);
}
.readme :not(pre) > code {
  background: var(--sunk); border: 1px solid var(--line); border-radius: var(--r1);
  padding: .05rem .3rem;
}
.readme hr { border: 0; border-top: 1px solid var(--line); }
.readme table { overflow-wrap: normal; }
#readme { padding-bottom: var(--s2); border-bottom: 1px solid var(--line); }
.readme .image {
  display: inline-block; border: 1px solid var(--line); border-radius: var(--r1);
  padding-inline: var(--s2); font-size: var(--f0); color: var(--soft);
}
`;
