import { allEnded, createLimit } from "@sealhouse/http-responses/outgoing";
import type { CallOptions, Limit } from "@sealhouse/http-responses/outgoing";
import { attachedTagsOf, isAttachedTag } from "../../attached-tag.ts";
import type { Digest } from "../../digest.ts";
import type { ManifestEdge } from "../../ports.ts";
import { MAX_INDEX_DEPTH } from "../../manifest/manifest.ts";
import type { CopiedItem, CopyReport } from "./copied.ts";
import { CopyError, reportOf } from "./copied.ts";
import { edgesOf, tooDeep } from "./missing-children.ts";
import type { ImageSource, ImageTarget, SourceManifest } from "./ports.ts";

export type CopierOptions = {
  /** Blobs on their way at once. Default 4. */
  readonly concurrency?: number;
  /** Also what refers to an image: signatures, SBOMs, in whatever way they are kept. Default. */
  readonly withReferrers?: boolean;
  /** Also layers that may not be given away. Default: they stay where they say. */
  readonly withForeignLayers?: boolean;
  /** Action on a tag that points elsewhere at the target. Default `move`. */
  readonly takenTags?: "move" | "keep" | "fail";
  /** Manifests that were completed at the target before. The blobs of the others are looked for,
   * even if the manifest is there: a registry may have lost them. Default: none. */
  readonly completed?: CompletedManifests;
  /** Manifests that the target has just shown; it is not asked for them again. Default: none. */
  readonly shown?: ReadonlySet<string>;
  /** Sends manifests even if the target claims to have them: some caches claim it wrongly. Default
   * false. */
  readonly sendsAll?: boolean;
  /** Another repository of the target that has a blob; it is mounted from there. */
  readonly blobHome?: (digest: Digest) => string | undefined;
  readonly onItem?: (item: CopiedItem) => void;
  readonly signal?: AbortSignal;
};

/** A memory of manifests that are complete at the target, with all that they name. */
export interface CompletedManifests {
  has(digest: Digest): Promise<boolean>;
  add(digest: Digest): Promise<void>;
}

/** Copies images from one repository to another; what it has dealt with it knows the next time. */
export type Copier = {
  /**
   * Copies the manifest: its dependencies first, then its referrers, then the tags. Existing
   * content is skipped, so another copy completes an interrupted one.
   * @throws {CopyError | OciClientError}
   */
  copy(reference: string, tags?: readonly string[]): Promise<CopyReport>;
};

type Run = {
  readonly source: ImageSource;
  readonly target: ImageTarget;
  readonly options: CopierOptions;
  readonly read: CallOptions;
  readonly limit: Limit;
  /** By digest: what is at the target, or on its way there. */
  readonly blobs: Map<Digest, Promise<void>>;
  readonly manifests: Map<Digest, Promise<void>>;
  /** Manifests whose referrers are dealt with. */
  readonly followed: Set<Digest>;
  attached: Promise<ReadonlySet<string>> | undefined;
};

const CONCURRENCY = 4;

export function createCopier(
  source: ImageSource,
  target: ImageTarget,
  options: CopierOptions = {},
): Copier {
  const { signal, concurrency = CONCURRENCY } = options;
  const run: Run = {
    source,
    target,
    options,
    read: { signal },
    limit: createLimit(concurrency),
    blobs: new Map(),
    manifests: new Map(),
    followed: new Set(),
    attached: undefined,
  };
  return {
    async copy(reference, tags = []) {
      try {
        return await copy(run, reference, tags);
      } catch (error) {
        // What is half done is to be walked again from its top.
        run.manifests.clear();
        run.followed.clear();
        throw error;
      }
    },
  };
}

type OnCopied = (item: CopiedItem) => void;

async function copy(run: Run, reference: string, tags: readonly string[]): Promise<CopyReport> {
  const items: CopiedItem[] = [];
  const onCopied: OnCopied = (item) => {
    items.push(item);
    run.options.onItem?.(item);
  };
  const manifest = await run.source.manifest(reference, run.read);
  if (!manifest) throw new CopyError("absent", `${run.source.label} has no ${reference}.`);
  const settled = await settleTags(run, manifest, tags, onCopied);
  if (tags.length === 0 || settled.open.length + settled.same > 0) {
    await copyWithReferrers(run, manifest, onCopied);
  }
  for (const tag of settled.open) await copyTag(run, manifest, tag, onCopied);
  return reportOf(manifest.digest, items);
}

/** Before the first byte: which tags are to be written. */
async function settleTags(
  { target, read, options }: Run,
  { digest }: SourceManifest,
  tags: readonly string[],
  onCopied: OnCopied,
): Promise<{ readonly open: readonly string[]; readonly same: number }> {
  const { takenTags = "move" } = options;
  const open: string[] = [];
  let same = 0;
  for (const tag of tags) {
    const there = await target.findManifest(tag, read);
    if (there === digest) {
      same += 1;
      onCopied({ kind: "tag", digest, size: 0, tag, outcome: "skipped" });
    } else if (there === undefined || takenTags === "move") open.push(tag);
    else if (takenTags === "keep") onCopied({ kind: "tag", digest, size: 0, tag, outcome: "kept" });
    else {
      const message = `${target.label} already has ${tag}, which points to ${there}.`;
      throw new CopyError("tag-taken", message);
    }
  }
  return { open, same };
}

async function copyTag(
  { target, read }: Run,
  manifest: SourceManifest,
  tag: string,
  onCopied: OnCopied,
): Promise<void> {
  const { digest } = manifest;
  await target.putTag(tag, manifest, read);
  const there = await target.findManifest(tag, read);
  if (there !== digest) {
    const returned = there ?? "nothing";
    const message = `${target.label} accepted ${tag} as ${digest}, but returns ${returned}.`;
    throw new CopyError("unconfirmed", message);
  }
  onCopied({ kind: "tag", digest, size: 0, tag, outcome: "moved" });
}

/** To a fix point: a referrer may have referrers, and children that have some. */
async function copyWithReferrers(
  run: Run,
  manifest: SourceManifest,
  onCopied: OnCopied,
): Promise<void> {
  const reached: Digest[] = [];
  const walk: Walk = { run, onCopied, depth: 0, reached: (digest) => reached.push(digest) };
  await copyTree(walk, manifest);
  if (run.options.withReferrers === false) return;
  for (let next = reached.shift(); next !== undefined; next = reached.shift()) {
    if (run.followed.has(next)) continue;
    run.followed.add(next);
    await copyReferrersOf(walk, next);
  }
}

async function copyReferrersOf(walk: Walk, subject: Digest): Promise<void> {
  const { run, onCopied } = walk;
  const { source, read } = run;
  for (const { digest } of await source.referrers(subject, read)) {
    const referrer = await source.manifest(digest, read);
    // A list may name what was deleted since.
    if (referrer) await copyTree(walk, referrer);
  }
  run.attached ??= attachedTags(run).catch((error: unknown) => {
    run.attached = undefined;
    throw error;
  });
  const there = await run.attached;
  for (const tag of attachedTagsOf(subject).filter((attachedTag) => there.has(attachedTag))) {
    const attached = await source.manifest(tag, read);
    if (!attached) continue;
    await copyTree(walk, attached);
    const { open } = await settleTags(run, attached, [tag], onCopied);
    for (const openTag of open) await copyTag(run, attached, openTag, onCopied);
  }
}

async function attachedTags({ source, read }: Run): Promise<ReadonlySet<string>> {
  const tags = new Set<string>();
  for await (const tag of source.tags(read)) if (isAttachedTag(tag)) tags.add(tag);
  return tags;
}

type Walk = {
  readonly run: Run;
  readonly onCopied: OnCopied;
  readonly depth: number;
  readonly reached: (digest: Digest) => void;
};

/** Children first, and each manifest once, however many indexes name it. */
async function copyTree(walk: Walk, manifest: SourceManifest): Promise<void> {
  const { run, reached } = walk;
  const { digest } = manifest;
  reached(digest);
  await once(run.manifests, digest, () => copyManifest(walk, manifest));
}

async function copyManifest(walk: Walk, manifest: SourceManifest): Promise<void> {
  const { run, onCopied, depth } = walk;
  const { digest, bytes } = manifest;
  const { target, read } = run;
  if (depth > MAX_INDEX_DEPTH) throw tooDeep(digest);
  const edges = edgesOf(manifest);
  const { completed, shown, sendsAll = false } = run.options;
  const isThere =
    !sendsAll &&
    (shown?.has(digest) === true || (await target.findManifest(digest, read)) === digest);
  const isComplete = isThere && (await completed?.has(digest)) === true;
  const children = edges.filter(({ kind }) => kind === "child");
  for (const child of children) await copyChild(walk, digest, child);
  if (!isComplete) {
    const blobs = edges.filter(({ kind }) => kind !== "child");
    await allEnded(blobs.map((edge) => copyBlob(walk, digest, edge)));
    if (!isThere) await target.putManifest(manifest, read);
    await completed?.add(digest);
  }
  const outcome = isThere ? "skipped" : "moved";
  onCopied({ kind: "manifest", digest, size: bytes.length, outcome });
}

/** A manifest; or, in build caches, a blob. */
async function copyChild(walk: Walk, parent: Digest, edge: ManifestEdge): Promise<void> {
  const { run, depth, reached } = walk;
  if (run.manifests.has(edge.digest)) {
    reached(edge.digest);
    return run.manifests.get(edge.digest);
  }
  const child = await run.source.manifest(edge.digest, run.read);
  if (!child) return copyBlob(walk, parent, edge);
  return copyTree({ ...walk, depth: depth + 1 }, child);
}

async function copyBlob(
  { run, onCopied }: Walk,
  parent: Digest,
  edge: ManifestEdge,
): Promise<void> {
  const { digest, size, kind } = edge;
  if (kind === "foreign" && run.options.withForeignLayers !== true) {
    onCopied({ kind: "blob", digest, size, outcome: "foreign" });
    return;
  }
  await once(run.blobs, digest, () =>
    run.limit(async () => {
      const outcome = await moveBlob(run, parent, edge);
      onCopied({ kind: "blob", digest, size, outcome });
    }),
  );
}

async function moveBlob(
  run: Run,
  parent: Digest,
  { digest, size }: ManifestEdge,
): Promise<CopiedItem["outcome"]> {
  const { source, target, read } = run;
  read.signal?.throwIfAborted();
  if ((await target.findBlob(digest, read)) === size) return "skipped";
  const from = mountableFrom(run, digest);
  if (from !== undefined && (await target.mount(digest, from, read))) return "mounted";
  let missing: CopyError | undefined;
  const bytes = async function* () {
    await using blob = await source.blob({ digest, size }, read);
    if (!blob) {
      const message = `${source.label} has no ${digest}, which ${parent} needs.`;
      throw (missing = new CopyError("incomplete", message));
    }
    yield* blob.body;
  };
  try {
    await target.putBlob({ digest, size, read: bytes }, read);
  } catch (error) {
    throw missing ?? error;
  }
  return "moved";
}

function mountableFrom({ source, target, options }: Run, digest: Digest): string | undefined {
  const { home } = source;
  const isNear = home !== undefined && home.registry === target.home?.registry;
  const from = isNear ? home.repository : options.blobHome?.(digest);
  return from === target.home?.repository ? undefined : from;
}

/** The failure may be temporary. */
function once(
  done: Map<Digest, Promise<void>>,
  digest: Digest,
  work: () => Promise<void>,
): Promise<void> {
  const startedWork = done.get(digest);
  if (startedWork) return startedWork;
  const running = work();
  done.set(digest, running);
  running.catch(() => done.delete(digest));
  return running;
}
