import type { CallOptions, Revised } from "@sealhouse/http-responses/outgoing";
import { address, field, isAbsent, items, malformed } from "./json-node.ts";
import type { JsonNode } from "./json-node.ts";
import { lenientAddress, lenientFlag } from "./lenient-fields.ts";
import type { Reader, RevisedRead } from "./reader.ts";
import { parseRegisteredVersion, publicationIn } from "./registered-version.ts";
import type { RegisteredVersion } from "./registered-version.ts";

export type RegistrationLeaf = {
  readonly listed: boolean;
  readonly publishedAt?: Date;
  readonly packageContent?: URL;
};

/** The index of the registration of a package. */
export type RegistrationIndex = { readonly id: string; readonly url: URL };

const PAGES_MAX = 10_000;
const ITEMS_MAX = 100_000;

/** All versions, ascending, whether their pages are in the index or not; undefined for 404. */
export async function readRegistration(
  reader: Reader,
  index: RegistrationIndex,
  options: CallOptions,
): Promise<readonly RegisteredVersion[] | undefined> {
  const document = await reader.json(index.url, options);
  return document && versionsOf(reader, { document, id: index.id }, options);
}

/** The same with the tag of the index, when that changes with each page. */
export async function revisedRegistration(
  reader: Reader,
  { id, url }: RegistrationIndex,
  options: RevisedRead,
): Promise<Revised<readonly RegisteredVersion[]> | undefined> {
  const found = await reader.revised(url, options);
  if (found?.status !== "found") return found;
  const { value: document, etag } = found;
  const value = await versionsOf(reader, { document, id }, { signal: options.signal });
  const isCovering = items(field(document, "items"), PAGES_MAX).every(
    (page) => !isAbsent(field(page, "items")) || !isAbsent(field(page, "commitTimeStamp")),
  );
  return { status: "found", value, ...(isCovering && etag !== undefined && { etag }) };
}

async function versionsOf(
  reader: Reader,
  { document, id }: { readonly document: JsonNode; readonly id: string },
  options: CallOptions,
): Promise<readonly RegisteredVersion[]> {
  const versions: RegisteredVersion[] = [];
  for (const page of items(field(document, "items"), PAGES_MAX)) {
    const whole = isAbsent(field(page, "items")) ? await linkedPage(reader, page, options) : page;
    for (const item of items(field(whole, "items"), ITEMS_MAX)) {
      versions.push(parseRegisteredVersion(item, id));
    }
    if (versions.length > ITEMS_MAX) throw malformed(document, `at most ${ITEMS_MAX} versions`);
  }
  return versions;
}

export function parseRegistrationLeaf(document: JsonNode): RegistrationLeaf {
  const publishedAt = publicationIn(field(document, "published"));
  const packageContent = lenientAddress(field(document, "packageContent"));
  return {
    listed: lenientFlag(field(document, "listed"), true),
    ...(publishedAt && { publishedAt }),
    ...(packageContent && { packageContent }),
  };
}

async function linkedPage(reader: Reader, page: JsonNode, options: CallOptions): Promise<JsonNode> {
  const link = field(page, "@id");
  const document = await reader.json(address(link), options);
  if (!document) throw malformed(link, "the address of a page: it was answered 404");
  return document;
}
