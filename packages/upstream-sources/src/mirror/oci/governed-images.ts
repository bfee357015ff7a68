import type { ManifestCatalog, RepositoryName, TagPast } from "@sealhouse/oci-distribution";
import { isDigest } from "@sealhouse/oci-distribution";
import type { ImagePolicy } from "./image-policy.ts";
import { refusedImage } from "./image-policy.ts";

/** The lookups whose answers the rules may refuse. */
export type GovernedImages = { readonly manifests: ManifestCatalog; readonly past: TagPast };

type Policy = Pick<ImagePolicy, "hasNoRules" | "mayDeny" | "denial">;
type TagsOf = (page: {
  readonly limit: number;
  readonly after?: string;
}) => Promise<readonly string[] | undefined>;

/** Refuses denied images with `DENIED`, also those that are here, and in views as of a time. */
export function governedImages(
  { manifests, past }: GovernedImages,
  policy: Policy,
): GovernedImages {
  return {
    manifests: {
      ...manifests,
      async find(repository, reference, options) {
        const found = await manifests.find(repository, reference, options);
        if (!found || policy.hasNoRules()) return found;
        const tag = isDigest(reference) ? undefined : reference;
        const named = { repository, tag, digest: found.digest };
        const denial = await policy.denial(named);
        if (denial) throw refusedImage(denial, named);
        return found;
      },
      tags: (repository, page) =>
        listTags(policy, repository, (part) => manifests.tags(repository, part))(page),
    },
    past: {
      ...past,
      async digest(repository, tag, time) {
        const digest = await past.digest(repository, tag, time);
        const named = { repository, tag, digest };
        const denial = digest && (await policy.denial(named));
        if (denial) throw refusedImage(denial, named);
        return digest;
      },
      async deleted(repository, digest) {
        const found = await past.deleted(repository, digest);
        const named = { repository, digest };
        const denial = found && (await policy.denial(named));
        if (denial) throw refusedImage(denial, named);
        return found;
      },
      tags: async (repository, time, page) =>
        (await listTags(policy, repository, (part) => past.tags(repository, time, part))(page)) ??
        [],
    },
  };
}

/** Leaves tags out that a rule denies. Throws the refusal of the first one if no tag is left. */
function listTags(policy: Policy, repository: RepositoryName, tagsOf: TagsOf): TagsOf {
  return async (page) => {
    if (!(await policy.mayDeny(repository))) return tagsOf(page);
    const allowed: string[] = [];
    let { after } = page;
    let refusal: Error | undefined;
    for (;;) {
      const tags = await tagsOf({ ...page, ...(after !== undefined && { after }) });
      if (!tags) return undefined;
      for (const tag of tags) {
        const denial = await policy.denial({ repository, tag });
        if (!denial) allowed.push(tag);
        else refusal ??= refusedImage(denial, { repository, tag });
      }
      after = tags.at(-1) ?? after;
      const isLast = tags.length < page.limit;
      if (!isLast && allowed.length < page.limit) continue;
      if (allowed.length === 0 && refusal && page.after === undefined) throw refusal;
      return allowed.slice(0, page.limit);
    }
  };
}
