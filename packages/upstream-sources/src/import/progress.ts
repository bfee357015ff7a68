import { randomUUID } from "node:crypto";
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import type { ImportReport } from "./report.ts";

/** Progress of an import, saved in a file. */
export type ImportProgress = {
  /** Last processed commit of the feed's catalog; undefined before the first import. */
  readonly cursor: string | undefined;
  isDone(id: string): boolean;
  markDone(id: string): void;
  /** Writes the marked names. The next import skips them. */
  save(): Promise<void>;
  /** Records a complete import. The next import reads what follows the cursor. */
  finish(cursor: string | undefined): Promise<void>;
};

type SavedProgress = {
  readonly source: string;
  readonly cursor?: string;
  readonly done: readonly string[];
};

/** Minimum time between two writes of the file. */
const SAVE_EVERY_MS = 5_000;

/** Reads the file if it belongs to this source. Without it, the import compares every version with
 * the feed again, so a lost file costs only time. */
export async function openImportProgress(
  path: string,
  options: {
    readonly source: string;
    readonly now: () => Date;
    /** Ignores the progress of the last import. */
    readonly fromStart: boolean;
  },
): Promise<ImportProgress> {
  const { source, now } = options;
  const saved = options.fromStart ? undefined : await readSaved(path, source);
  const done = new Set(saved?.done);
  let savedMs = now().getTime();
  let saving: Promise<void> = Promise.resolve();
  const save = () => {
    savedMs = now().getTime();
    const cursor = saved?.cursor;
    const state: SavedProgress = {
      source,
      ...(cursor !== undefined && { cursor }),
      done: [...done],
    };
    saving = saving.catch(() => undefined).then(() => write(path, state));
    return saving;
  };
  return {
    cursor: saved?.cursor,
    isDone: (id) => done.has(id),
    markDone(id) {
      done.add(id);
      // The last save throws if the file still cannot be written.
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

async function readSaved(path: string, source: string): Promise<SavedProgress | undefined> {
  const text = await readFile(path, "utf8").catch((error: unknown) => {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  });
  const saved = text === undefined ? undefined : parseSaved(text);
  return saved?.source === source ? saved : undefined;
}

/** Returns undefined for an unknown format. */
function parseSaved(text: string): SavedProgress | undefined {
  try {
    const { source, cursor, done } = JSON.parse(text) as Readonly<Record<string, unknown>>;
    const ids = Array.isArray(done) ? done.filter((id) => typeof id === "string") : [];
    if (typeof source !== "string") return undefined;
    return { source, ...(typeof cursor === "string" && { cursor }), done: ids };
  } catch {
    return undefined;
  }
}

/** Replaces the file atomically. */
async function write(path: string, saved: SavedProgress): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const temporary = `${path}.${randomUUID()}`;
  await writeFile(temporary, JSON.stringify(saved));
  await rename(temporary, path);
}

/** Records a complete import, or saves how far it came. */
export async function endProgress(
  progress: ImportProgress | undefined,
  { failed, isInterrupted }: ImportReport,
  cursor?: string,
): Promise<void> {
  if (failed === 0 && !isInterrupted) await progress?.finish(cursor);
  else await progress?.save();
}
