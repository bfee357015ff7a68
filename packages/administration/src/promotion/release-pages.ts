import type { ReleaseRows } from "@sealhouse/promotion";
import type { Page } from "../paging.ts";
import { realDate } from "../real-date.ts";
import { invalidField } from "../refusal.ts";
import { shown } from "../shown.ts";
import type { ListedRelease } from "./release-schemas.ts";

/**
 * Reads a page of releases, newest first. The mark of the next page is the time and the id of the
 * last release.
 *
 * @throws RefusedActionError
 */
export async function listedReleases(
  releases: Pick<ReleaseRows, "list">,
  {
    group,
    limit,
    after,
  }: {
    readonly group?: string | undefined;
    readonly limit: number;
    readonly after?: string | undefined;
  },
): Promise<Page<ListedRelease>> {
  const found = await releases.list({
    limit,
    ...(group !== undefined && { group }),
    ...(after !== undefined && { after: placeIn(after) }),
  });
  const items = found.map((release) => shown(release));
  const last = items.at(-1);
  if (!last || items.length < limit) return { items };
  return { items, next: Buffer.from(`${last.createdAt} ${last.id}`).toString("base64url") };
}

function placeIn(after: string): { readonly createdAt: Date; readonly id: string } {
  const [time = "", id = ""] = Buffer.from(after, "base64url").toString().split(" ");
  const createdAt = realDate(time);
  if (createdAt && id.length <= 36) return { createdAt, id };
  throw invalidField("after", "must be the value `next` of an answer.");
}
