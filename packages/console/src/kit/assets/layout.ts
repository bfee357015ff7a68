/** Where things are on a page: bar, head, columns, footer. */
export const LAYOUT = `
.wrap { max-width: 78rem; margin-inline: auto; padding-inline: var(--s4); }
.skip { position: absolute; inset-inline-start: -999px; }
.skip:focus {
  inset-inline-start: 1rem; top: .5rem; background: var(--card); padding: .5rem; z-index: 3;
}
.bar { background: var(--card); border-bottom: 1px solid var(--line); }
.bar .wrap {
  display: flex; flex-wrap: wrap; align-items: center; gap: var(--s2) var(--s4);
  padding-block: var(--s2);
}
.bar nav { display: flex; flex-wrap: wrap; gap: 0 var(--s4); }
.bar nav.end { margin-inline-start: auto; }
.bar a { text-decoration: none; padding-block: .2rem; }
.bar a:hover { text-decoration: underline; }
.brand {
  display: flex; align-items: center; gap: var(--s2); font-weight: 700; color: var(--text);
}
.brand svg { width: 1.75rem; height: 1.75rem; color: var(--accent); }
.quick { position: relative; flex: 1 1 14rem; min-width: 0; max-width: 30rem; display: flex; }
.quick kbd {
  position: absolute; inset-inline-end: 5.4rem; top: .5rem; border: 1px solid var(--line);
  border-radius: var(--r1); padding: 0 .4rem; font: var(--f0)/1.5 var(--mono); color: var(--soft);
}
.quick input, .joined input {
  border-start-end-radius: 0; border-end-end-radius: 0; border-inline-end: 0;
}
.quick button, .joined button { border-start-start-radius: 0; border-end-start-radius: 0; }
.joined { display: flex; }
.top { background: var(--card); border-bottom: 1px solid var(--line); }
.top .wrap { padding-block: var(--s5); }
.top.package .wrap {
  display: grid; grid-template-columns: auto minmax(0, 1fr); gap: var(--s3) var(--s5);
}
.lead { margin-top: var(--s2); color: var(--soft); max-width: 52rem; }
main.wrap, .columns.wrap {
  display: grid; gap: var(--s5); padding-block: var(--s5) var(--s6);
  grid-template-columns: minmax(0, 1fr);
}
main.lost { display: block; max-width: 44rem; padding-block: var(--s6); }
.stack, .form, .search, .rows { display: grid; gap: var(--s5); align-content: start; min-width: 0; }
.search { gap: var(--s4); }
.stack > *, .columns > *, main > * { min-width: 0; }
.rows { list-style: none; padding: 0; gap: var(--s4); grid-template-columns: minmax(0, 1fr); }
.sections, .head, .buttons, .pager, .meta, .facts, .tags, .frameworks, .row {
  display: flex; flex-wrap: wrap; gap: var(--s2) var(--s4); align-items: center;
}
.sections { margin-top: var(--s3); }
.sections a { padding: .3rem 0; text-decoration: none; border-bottom: 3px solid transparent; }
.sections a:hover { text-decoration: underline; }
.sections [aria-current] { color: var(--text); border-bottom-color: var(--accent); }
.side a { display: block; padding: .35rem .7rem; border-radius: var(--r2); text-decoration: none;
  color: var(--text); }
.side a:hover { background: var(--sunk); }
.side [aria-current] { background: var(--accent-soft); color: var(--accent); font-weight: 600; }
.side h2 { font-size: var(--f0); color: var(--soft); text-transform: uppercase;
  letter-spacing: .05em; padding: var(--s3) .7rem var(--s1); }
.pager { justify-content: space-between; margin-top: var(--s4); }
.pager a[rel="next"] { margin-inline-start: auto; }
.filters, .form.two, .fields, .spread, .tiles {
  display: grid; gap: var(--s3) var(--s5); align-items: start;
  grid-template-columns: repeat(auto-fill, minmax(min(100%, 11rem), 1fr));
}
.spread { grid-template-columns: repeat(auto-fill, minmax(min(100%, 9.5rem), 1fr)); }
.tiles {
  grid-template-columns: repeat(auto-fit, minmax(9rem, 1fr)); gap: var(--s3); align-items: stretch;
}
.form.two { margin-top: var(--s3); }
.form.two, .fields { grid-template-columns: repeat(auto-fill, minmax(min(100%, 18rem), 1fr)); }
.fields { border-top: 1px solid var(--line); padding-top: var(--s4); }
.fields legend { font-weight: 650; padding-inline-end: var(--s3); }
.wide { grid-column: 1 / -1; }
td .form.two { grid-template-columns: minmax(0, 1fr); margin: 0; min-width: 7rem; }
.scroll { position: relative; overflow-x: auto; border-radius: var(--r1); }
.number { text-align: end; font-variant-numeric: tabular-nums; white-space: nowrap; }
td > time, td > code { white-space: nowrap; }
.to-left { text-align: left; } .to-center { text-align: center; } .to-right { text-align: right; }
footer { border-top: 1px solid var(--line); color: var(--soft); font-size: var(--f1); }
footer .wrap {
  display: flex; flex-wrap: wrap; align-items: center; gap: var(--s2) var(--s5);
  padding-block: var(--s4);
}
.theme { display: flex; gap: var(--s1); align-items: center; margin-inline-start: auto; }
.jump { display: none; }
@media (min-width: 62rem) {
  main.wrap:not(.one, .lost), .columns:not(.one) {
    grid-template-columns: minmax(0, 1.7fr) minmax(0, 1fr);
  }
  .columns.admin { grid-template-columns: 13rem minmax(0, 1fr); }
}
@media (max-width: 61.99rem) {
  .admin .side { order: 2; } .jump { display: block; }
}
@media (max-width: 39.99rem) {
  .quick { order: 3; flex-basis: 100%; max-width: none; } .quick kbd { display: none; }
  .fold, .fold tbody { display: block; }
  .fold thead { position: absolute; width: 1px; height: 1px; overflow: hidden;
    clip-path: inset(50%); }
  .fold tr { display: grid; padding-block: var(--s2); border-bottom: 1px solid var(--line); }
  .fold tr:last-child { border-bottom: 0; }
  .fold :is(td, th[scope="row"]) {
    display: flex; gap: var(--s3); justify-content: space-between; border: 0; padding: .1rem 0;
    text-align: end;
  }
  .fold th[scope="row"] { text-align: start; justify-content: start; }
  .fold td::before {
    content: attr(data-label); color: var(--soft); text-align: start; flex: none;
    overflow-wrap: normal;
  }
  .fold td:empty { display: none; }
}
`;
