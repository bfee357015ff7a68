import { NpmError } from "../errors.ts";
import { isObject } from "../json.ts";
import type { JsonObject } from "../json.ts";
import type { Inventory } from "./bulk.ts";
import { inventory } from "./bulk.ts";

/** One place in a lock file's tree. */
export type TreeNode = {
  readonly name: string;
  readonly version: string;
  readonly dev: boolean;
  readonly optional: boolean;
  readonly bundled: boolean;
  /** Undefined: right below the project. */
  readonly parent: TreeNode | undefined;
};

export type LockTree = {
  readonly nodes: readonly TreeNode[];
  readonly inventory: Inventory;
};

const NODES_MAX = 25_000;
const DEPTH_MAX = 200;

/**
 * Reads `{dependencies: {name: {version, dependencies: …}}}`, which npm 6, yarn 1 and pnpm 10 send.
 * @throws {NpmError} when it is anything else, or too much
 */
export function readLockTree(document: unknown): LockTree {
  if (!isObject(document)) throw new NpmError("document-invalid", "The body is not a lock file.");
  const add = inventory();
  const nodes: TreeNode[] = [];
  let level: readonly Below[] = [{ fields: document, parent: undefined }];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > DEPTH_MAX) {
      throw new NpmError("too-large", `The tree is deeper than ${DEPTH_MAX} packages.`);
    }
    const next: Below[] = [];
    // One place at a time, so that a limit ends the work.
    for (const { node, fields } of placesOf(level)) {
      nodes.push(node);
      if (nodes.length > NODES_MAX) {
        throw new NpmError("too-large", `The tree has more than ${NODES_MAX} places.`);
      }
      add.package(node.name);
      add.version(node.name, node.version);
      next.push({ fields, parent: node });
    }
    level = next;
  }
  return { nodes, inventory: add.all };
}

/** From below the project down to the package: `a>b>c`. */
export function pathOf(node: TreeNode): string {
  const names: string[] = [];
  for (let ancestor: TreeNode | undefined = node; ancestor; ancestor = ancestor.parent)
    names.push(ancestor.name);
  return names.toReversed().join(">");
}

type Below = { readonly fields: JsonObject; readonly parent: TreeNode | undefined };

function* placesOf(level: readonly Below[]): Generator<Place> {
  for (const { fields, parent } of level) {
    const { dependencies } = fields;
    if (!isObject(dependencies)) continue;
    for (const name of Object.keys(dependencies)) {
      const below = dependencies[name];
      if (isObject(below)) yield { node: nodeOf(name, below, parent), fields: below };
    }
  }
}

type Place = { readonly node: TreeNode; readonly fields: JsonObject };

function nodeOf(name: string, fields: JsonObject, parent: TreeNode | undefined): TreeNode {
  const { version, dev, optional, bundled } = fields;
  const flags = { dev: dev === true, optional: optional === true, bundled: bundled === true };
  return { name, version: typeof version === "string" ? version : "", ...flags, parent };
}
