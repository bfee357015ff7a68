import type { Digest, RepositoryName } from "@sealhouse/oci-distribution";

const TAGS_MAX = 10_000;

type Confirmed = {
  readonly digest: Digest;
  readonly checkedAt: Date;
  readonly revalidateAfterMs: number;
};

/** Tags that their source has confirmed lately: they need no question to the database about it. */
export type FreshTags = {
  note(repository: RepositoryName, tag: string, confirmed: Confirmed): void;
  digestOf(repository: RepositoryName, tag: string): Digest | undefined;
};

export function createFreshTags(now: () => Date): FreshTags {
  const known = new Map<string, { readonly digest: Digest; readonly untilMs: number }>();
  return {
    note(repository, tag, { digest, checkedAt, revalidateAfterMs }) {
      if (known.size >= TAGS_MAX) known.clear();
      const untilMs = checkedAt.getTime() + revalidateAfterMs;
      known.set(`${repository}:${tag}`, { digest, untilMs });
    },
    digestOf(repository, tag) {
      const key = `${repository}:${tag}`;
      const row = known.get(key);
      if (!row || row.untilMs > now().getTime()) return row?.digest;
      known.delete(key);
      return undefined;
    },
  };
}
