/** Colors of both themes, distances, sizes of text. All pairs meet the contrast of WCAG AA. */
export const TOKENS = `
:root {
  color-scheme: light dark;
  --page: light-dark(#f7f8f8, #101413); --card: light-dark(#fff, #181d1b);
  --sunk: light-dark(#f0f3f2, #0c100f); --line: light-dark(#dce2df, #2c3532);
  --edge: light-dark(#78857f, #7f8d87);
  --text: light-dark(#18211e, #e8eeeb); --soft: light-dark(#52605a, #a5b3ad);
  --accent: light-dark(#0a6a5c, #6ad3be); --accent-soft: light-dark(#e1f1ed, #16332d);
  --on-accent: light-dark(#fff, #06231d);
  --good: light-dark(#176a35, #77d795); --good-soft: light-dark(#e4f3e8, #14301e);
  --warn: light-dark(#7d4f00, #f0bd66); --warn-soft: light-dark(#fdf1d9, #35270d);
  --bad: light-dark(#a4191f, #ff9d98); --bad-soft: light-dark(#fbe7e6, #3d1817);
  --nuget: light-dark(#00508c, #8cc4f5); --npm: light-dark(#a3211f, #f5a09d);
  --oci: light-dark(#5d3fa3, #c3aef5);
  --s1: .25rem; --s2: .5rem; --s3: .75rem; --s4: 1rem; --s5: 1.5rem; --s6: 2.5rem;
  --f0: .8125rem; --f1: .875rem; --f2: 1rem; --f3: 1.1875rem; --f4: 1.5rem; --f5: 2rem;
  --r1: 4px; --r2: 8px;
  --mono: ui-monospace, SFMono-Regular, "Cascadia Mono", Menlo, Consolas, monospace;
}
:root[data-theme="light"] { color-scheme: light; }
:root[data-theme="dark"] { color-scheme: dark; }
`;
