// Rooms: the folders of a package's source, and the imports between them. Used by `pnpm tidy`.
import { dirname, join } from "node:path";
import { isTestFile } from "./source-figures.ts";

/** An import of a file from another room of its package. */
export type RoomImport = {
  readonly file: string;
  readonly target: string;
  readonly fromRoom: string;
  readonly toRoom: string;
};

/** The rooms that each room may import, by package. */
export type RoomTable = Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;

const RELATIVE = /\b(?:from|import)\s*\(?\s*"(\.[^"]+)"/g;

/**
 * Imports between the rooms of a package, tests and their support excepted. Files directly in `src`
 * are above all rooms. `files`: text by path, relative to the root of the project.
 */
export function roomImports(
  folder: string,
  files: ReadonlyMap<string, string>,
): readonly RoomImport[] {
  const source = `${folder}/src/`;
  const roomOf = (path: string) => /^[^/]+(?=\/)/.exec(path.slice(source.length))?.[0];
  const own = [...files].filter(([file]) => file.startsWith(source) && !isTestFile(file));
  return own.flatMap(([file, text]) => {
    const fromRoom = roomOf(file);
    if (fromRoom === undefined) return [];
    const targets = [...text.matchAll(RELATIVE)].map(([, to = ""]) => join(dirname(file), to));
    return targets.flatMap((target) => {
      const toRoom = target.startsWith(source) ? roomOf(target) : undefined;
      if (toRoom === undefined || toRoom === fromRoom) return [];
      return [{ file, target, fromRoom, toRoom }];
    });
  });
}

/** Arrows from one room of a package to another, and pairs of rooms that import each other. */
export type RoomFigures = { readonly arrows: number; readonly mutual: number };

/** Counts the arrows between the rooms of a package; several imports are one arrow. */
export function roomFigures(folder: string, files: ReadonlyMap<string, string>): RoomFigures {
  const imports = roomImports(folder, files);
  const arrows = new Set(imports.map(({ fromRoom, toRoom }) => `${fromRoom} ${toRoom}`));
  const back = imports.filter(({ fromRoom, toRoom }) => arrows.has(`${toRoom} ${fromRoom}`));
  const pairs = new Set(
    back.map(({ fromRoom, toRoom }) => [fromRoom, toRoom].toSorted().join(" ")),
  );
  return { arrows: arrows.size, mutual: pairs.size };
}

/** Imports that the table does not allow, rooms without a row, and rows that allow too much. */
export function roomBreaches(
  table: RoomTable,
  files: ReadonlyMap<string, string>,
): readonly string[] {
  return Object.entries(table).flatMap(([folder, rooms]) => {
    const imports = roomImports(folder, files);
    const forbidden = imports.filter(({ fromRoom, toRoom }) => !rooms[fromRoom]?.includes(toRoom));
    const unused = Object.entries(rooms).flatMap(([fromRoom, targets]) =>
      targets
        .filter((toRoom) => !imports.some((one) => isArrow(one, fromRoom, toRoom)))
        .map((toRoom) => `${ROOMS} ${folder}: ${fromRoom} does not import ${toRoom}`),
    );
    return [
      ...forbidden.map(
        ({ file, target, fromRoom, toRoom }) =>
          `${file}: ${fromRoom} may not import ${toRoom}: ${target}`,
      ),
      ...unused,
    ];
  });
}

const ROOMS = "ROOMS_MAY_IMPORT (tools/may-import.ts):";

function isArrow(of: RoomImport, fromRoom: string, toRoom: string): boolean {
  return of.fromRoom === fromRoom && of.toRoom === toRoom;
}
