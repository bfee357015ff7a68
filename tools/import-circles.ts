// Circles of imports, type-only ones included. Used by `pnpm tidy`.
import { dirname, join } from "node:path";

const RELATIVE = /\b(?:from|import)\s*\(?\s*"(\.[^"]+)"/g;

/** Each circle as the paths of its files, sorted. `files`: text by path, relative to one root. */
export function importCircles(files: ReadonlyMap<string, string>): readonly (readonly string[])[] {
  const imports = new Map([...files].map(([path, text]) => [path, importsOf(path, text, files)]));
  return stronglyConnected(imports)
    .filter((group) => group.length > 1)
    .map((group) => group.toSorted());
}

function importsOf(path: string, text: string, files: ReadonlyMap<string, string>): string[] {
  const targets = [...text.matchAll(RELATIVE)].map(([, to = ""]) => join(dirname(path), to));
  return targets.filter((target) => files.has(target));
}

/** Tarjan's algorithm. */
function stronglyConnected(edges: ReadonlyMap<string, readonly string[]>): string[][] {
  const groups: string[][] = [];
  const order = new Map<string, number>();
  const stack: string[] = [];
  const visit = (node: string): number => {
    const own = order.size;
    order.set(node, own);
    stack.push(node);
    let low = own;
    for (const next of edges.get(node) ?? []) {
      if (!order.has(next)) low = Math.min(low, visit(next));
      else if (stack.includes(next)) low = Math.min(low, order.get(next) ?? own);
    }
    if (low === own) groups.push(stack.splice(stack.indexOf(node)));
    return low;
  };
  for (const node of edges.keys()) if (!order.has(node)) visit(node);
  return groups;
}
