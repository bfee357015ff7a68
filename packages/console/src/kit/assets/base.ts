/** Styles of elements, whatever their class. */
export const BASE = `
*, *::before, *::after { box-sizing: border-box; }
[hidden] { display: none !important; }
body {
  margin: 0; background: var(--page); color: var(--text); overflow-wrap: anywhere;
  font: var(--f2)/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif;
}
h1, h2, h3, h4, p, ol, ul, dl, dd, pre { margin: 0; padding: 0; }
h1, h2, h3 { line-height: 1.25; text-wrap: balance; }
h1 { font-size: var(--f4); } h2 { font-size: var(--f3); } h3 { font-size: var(--f2); }
h2 > code { font-size: inherit; }
ul, ol { padding-inline-start: 1.4rem; }
a { color: var(--accent); text-underline-offset: .2em; text-decoration-thickness: 1px; }
a:hover { text-decoration-thickness: 2px; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; border-radius: var(--r1); }
code, pre { font-family: var(--mono); font-size: .86em; }
pre {
  background: var(--sunk); border: 1px solid var(--line); border-radius: var(--r2);
  padding: .6rem .8rem; line-height: 1.6; white-space: pre-wrap; font-size: var(--f0);
}
svg { flex: none; }
label { font-size: var(--f1); font-weight: 600; }
h2 > label { font: inherit; }
input, select, textarea, button { font: inherit; color: inherit; }
input:not([type="radio"]), select, textarea {
  background: var(--card); border: 1px solid var(--edge); border-radius: var(--r2);
  min-height: 2.5rem; padding: .35rem .7rem; width: 100%; min-width: 0;
}
input:is([type="checkbox"], [type="radio"]) {
  width: 1.05rem; height: 1.05rem; min-height: 0; margin: 0 .35rem 0 0; vertical-align: -.15em;
  accent-color: var(--accent);
}
textarea { resize: vertical; display: block; }
::placeholder { color: var(--soft); opacity: 1; }
[aria-invalid] { border-color: var(--bad) !important; }
button {
  background: var(--accent); color: var(--on-accent); border: 1px solid var(--accent);
  border-radius: var(--r2); min-height: 2.5rem; padding: .35rem .9rem; font-weight: 600;
  cursor: pointer; overflow-wrap: normal;
}
button:hover { filter: brightness(1.08); }
button:disabled { opacity: .6; cursor: default; }
fieldset { border: 0; margin: 0; padding: 0; min-width: 0; }
details { margin-top: var(--s4); }
summary { cursor: pointer; color: var(--accent); padding-block: var(--s1); }
details > * + * { margin-top: var(--s2); }
table { border-collapse: collapse; width: 100%; font-size: var(--f1); }
th, td {
  text-align: start; padding: .55rem .75rem .55rem 0; border-bottom: 1px solid var(--line);
  vertical-align: top;
}
tr > :last-child { padding-inline-end: 0; }
tbody tr:last-child > * { border-bottom: 0; }
thead th { color: var(--soft); font-size: var(--f0); }
tbody th { font-weight: 600; min-width: 7rem; }
progress { width: 100%; height: .6rem; accent-color: var(--accent); }
`;
