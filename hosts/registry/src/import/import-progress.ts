import { randomUUID } from "node:crypto";
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";

/** How far the import of a feed has come, in a file. */
export type ImportProgress = {
  /** The last commit of the feed's catalog that was dealt with; undefined before the first. */
  readonly cursor: string | undefined;
  isDone(id: string): boolean;
  markDone(id: string): void;
  /** Writes what was marked; the next import goes on from here. */
  save(): Promise<void>;
  /** All is dealt with: the next import looks at what came after the cursor. */
  finish(cursor: string | undefined): Promise<void>;
};

type Kept = { readonly source: string; readonly cursor?: string; readonly done: readonly string[] };

/** Between two writes of the file. */
const SAVE_EVERY_MS = 5_000;

/** Reads the file, if there is one for this source. Everything that is not there is looked for in
 * the feed itself, so a lost file costs time and nothing else. */
export async function openImportProgress(
  path: string,
  options: {
    readonly source: string;
    readonly now: () => Date;
    /** Forgets how far the last import came. */
    readonly fromStart: boolean;
  },
): Promise<ImportProgress> {
  const { source, now } = options;
  const kept = options.fromStart ? undefined : await readKept(path, source);
  const done = new Set(kept?.done);
  let savedMs = now().getTime();
  let saving: Promise<void> = Promise.resolve();
  const save = () => {
    savedMs = now().getTime();
    const cursor = kept?.cursor;
    const state: Kept = { source, ...(cursor !== undefined && { cursor }), done: [...done] };
    saving = saving.catch(() => undefined).then(() => write(path, state));
    return saving;
  };
  return {
    cursor: kept?.cursor,
    isDone: (id) => done.has(id),
    markDone(id) {
      done.add(id);
      // Should this fail, the last save says so.
      if (now().getTime() - savedMs >= SAVE_EVERY_MS) save().catch(() => undefined);
    },
    save,
    async finish(cursor) {
      await saving.catch(() => undefined);
      if (cursor === undefined) await rm(path, { force: true });
      else await write(path, { source, cursor, done: [] });
    },
  };
}

async function readKept(path: string, source: string): Promise<Kept | undefined> {
  const text = await readFile(path, "utf8").catch((error: unknown) => {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  });
  const kept = text === undefined ? undefined : parseKept(text);
  return kept?.source === source ? kept : undefined;
}

/** Undefined for what this version did not write. */
function parseKept(text: string): Kept | undefined {
  try {
    const { source, cursor, done } = JSON.parse(text) as Readonly<Record<string, unknown>>;
    const ids = Array.isArray(done) ? done.filter((id) => typeof id === "string") : [];
    if (typeof source !== "string") return undefined;
    return { source, ...(typeof cursor === "string" && { cursor }), done: ids };
  } catch {
    return undefined;
  }
}

/** Whole or not at all. */
async function write(path: string, kept: Kept): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const temporary = `${path}.${randomUUID()}`;
  await writeFile(temporary, JSON.stringify(kept));
  await rename(temporary, path);
}
