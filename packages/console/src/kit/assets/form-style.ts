/** Additional styles of forms and of the pages of administrators. */
export const FORM_STYLE = `
textarea {
  font: inherit; font-size: .92rem; color: inherit; background: var(--page);
  border: 1px solid var(--field); border-radius: 6px; padding: .45rem .65rem; width: 100%;
  min-width: 0; resize: vertical; display: block;
}
textarea:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
.field { min-width: 0; }
.field label { display: block; margin-bottom: .3rem; }
.field .switch { font-weight: 400; font-size: 1rem; margin: 0; padding: .25rem 0; }
.field [aria-invalid] { border-color: var(--bad); }
.problem { color: var(--bad); font-size: .875rem; margin-top: .35rem; overflow-wrap: anywhere; }
.form { display: grid; gap: 1.5rem; }
.lost .card { margin-top: 1.5rem; }
.lost .card h2 { margin-top: 0; }
.form.two { gap: 1rem 1.5rem; margin-top: .9rem; }
fieldset.fields {
  border: 0; border-top: 1px solid var(--line); margin: 0; padding: 1rem 0 0; min-width: 0;
  display: grid; gap: 1rem 1.5rem; align-items: start;
}
.fields legend { font-weight: 650; padding: 0 .75rem 0 0; }
.fields .wide { grid-column: 1 / -1; }
.sections { display: flex; flex-wrap: wrap; gap: .25rem 1.5rem; margin-top: .9rem; }
.sections a { padding: .3rem 0; text-decoration: none; border-bottom: 3px solid transparent; }
.sections a:hover { text-decoration: underline; }
.sections [aria-current] { color: var(--text); border-bottom-color: var(--accent); }
.rows { list-style: none; display: grid; gap: 1rem; grid-template-columns: minmax(0, 1fr); }
.rows h3, .rows h2 { font-size: 1.1rem; margin: 0; overflow-wrap: anywhere; }
.rows .badges { margin-top: .4rem; }
.card h2 ~ h3 { margin-top: 1.25rem; }
.card > .rows { margin-top: 1rem; }
td .form.two { grid-template-columns: minmax(0, 1fr); margin: 0; min-width: 7rem; }
/* Texts that are only read aloud stay inside. */
.scroll { position: relative; }
.spread { grid-template-columns: repeat(auto-fill, minmax(min(100%, 9.5rem), 1fr)); }
.spread .wide { grid-column: 1 / -1; }
.head { display: flex; flex-wrap: wrap; gap: .75rem 1.5rem; align-items: center; }
a.button, button.quiet {
  display: inline-block; border: 1px solid var(--accent); border-radius: 6px; font-weight: 600;
  padding: .45rem 1rem; text-decoration: none; background: none; color: var(--accent);
}
a.button:hover, button.quiet:hover { background: var(--accent-soft); }
.buttons form { margin: 0; }
@media (min-width: 48rem) {
  .head a { margin-left: auto; }
  .form.two, fieldset.fields { grid-template-columns: repeat(2, minmax(0, 1fr)); }
  .fields legend { grid-column: 1 / -1; }
}
`;
