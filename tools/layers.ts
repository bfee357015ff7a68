// The layers of the packages, computed from the table of allowed imports.

/** Columns of the picture between its borders. */
const WIDTH = 108;

type Imports = Readonly<Record<string, readonly string[]>>;

/**
 * The packages by layer, the lowest first. A package is one layer above the highest package that it
 * imports. A package that imports nothing and that no package imports is in no layer.
 */
export function layersOf(imports: Imports): readonly (readonly string[])[] {
  const imported = new Set(Object.values(imports).flat());
  const height = (folder: string): number =>
    1 + Math.max(-1, ...(imports[folder] ?? []).map((target) => height(target)));
  const drawn = Object.keys(imports).filter(
    (folder) => imported.has(folder) || imports[folder]?.length !== 0,
  );
  const layers = Map.groupBy(drawn, height);
  return [...layers.keys()].toSorted((a, b) => a - b).map((layer) => layers.get(layer) ?? []);
}

/** The layers as text, the highest first. */
export function drawLayers(imports: Imports): string {
  const boxes = layersOf(imports).map((layer) =>
    wrap(layer.map((folder) => folder.replace(/^packages\//, "")))
      .map((line) => `│ ${line.padEnd(WIDTH)} │`)
      .join("\n"),
  );
  const border = "─".repeat(WIDTH + 2);
  return [`┌${border}┐`, boxes.toReversed().join(`\n├${border}┤\n`), `└${border}┘`].join("\n");
}

function wrap(names: readonly string[]): readonly string[] {
  const lines: string[] = [];
  for (const name of names) {
    const longer = lines.length === 0 ? name : `${lines.at(-1)} · ${name}`;
    if (longer.length <= WIDTH) lines.splice(-1, 1, longer);
    else lines.push(name);
  }
  return lines;
}
