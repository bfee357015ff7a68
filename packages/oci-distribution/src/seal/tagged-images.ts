import type { Digest } from "../digest.ts";
import type { ManifestCatalog } from "../ports.ts";
import type { RepositoryName } from "../repository-name.ts";
import type { TagRetention } from "../retention/ports.ts";

export type TaggedImage = {
  readonly repository: RepositoryName;
  readonly tag: string;
  readonly digest: Digest;
};

type TagCatalog = {
  readonly manifests: Pick<ManifestCatalog, "repositories">;
  readonly tags: Pick<TagRetention, "tagRecords">;
};

const PAGE = 1000;

/** All tags of all repositories, or of one. */
export async function* taggedImages(
  catalog: TagCatalog,
  only?: RepositoryName,
): AsyncGenerator<TaggedImage> {
  const repositories =
    only === undefined
      ? paged(
          (page) => catalog.manifests.repositories(page),
          (name) => name,
        )
      : [only];
  for await (const repository of repositories) {
    const records = paged(
      (page) => catalog.tags.tagRecords(repository, page),
      ({ tag }) => tag,
    );
    for await (const { tag, digest } of records) yield { repository, tag, digest };
  }
}

type NextPage<T> = (page: {
  readonly limit: number;
  readonly after?: string;
}) => Promise<readonly T[]>;

async function* paged<T>(next: NextPage<T>, keyOf: (entry: T) => string): AsyncGenerator<T> {
  let after: string | undefined;
  for (;;) {
    const entries = await next({ limit: PAGE, ...(after !== undefined && { after }) });
    yield* entries;
    const last = entries.at(-1);
    if (entries.length < PAGE || last === undefined) return;
    after = keyOf(last);
  }
}
