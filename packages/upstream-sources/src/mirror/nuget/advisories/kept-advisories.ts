import { ADVISORIES_MAX, foreignAdvisory, VULNERABILITY_GROUP } from "@sealhouse/nuget-protocol";
import type { AdvisoryPage, NewAdvisory } from "@sealhouse/nuget-protocol";
import { NuGetClientError } from "@sealhouse/nuget-protocol/client";
import type { AdvisoryPageLink, AdvisoryReads } from "@sealhouse/nuget-protocol/client";
import type { PackageSource } from "../../../sources/package-source.ts";
import type { DocumentAsk } from "../../documents/document-ask.ts";
import type { ClientOf } from "../documents/source-clients.ts";

/** The advisories of a source, and the times at which they last changed. */
export type KeptAdvisories = {
  readonly changedAt: Readonly<Record<AdvisoryPage, Date>>;
  readonly pages: readonly KeptPage[];
};

type KeptPage = {
  readonly name: string;
  readonly url: string;
  /** Empty where the source does not state it. */
  readonly updatedAt: string;
  readonly advisories: readonly NewAdvisory[];
};

/** All pages are one document, which is compared by its small index. */
export function advisoriesAsk(clientOf: ClientOf, source: PackageSource, now: () => Date) {
  return {
    source,
    kind: "vulnerabilities",
    name: "",
    part: "",
    staleGroups: [VULNERABILITY_GROUP],
    async fetch(_validators, signal, before) {
      const client = clientOf(source);
      const links = await client.advisoryPages({ signal });
      if (!links || links.length === 0) return { status: "absent" };
      const bytesBefore = await before();
      const kept = bytesBefore && readAdvisories(bytesBefore);
      const pages = await pagesOf(client, { source, links, kept, signal });
      if (kept && pages.every((page, index) => page === kept.pages[index])) {
        if (pages.length === kept.pages.length) return { status: "unchanged" };
      }
      return { status: "found", bytes: savedAdvisories(pages, kept, now()) };
    },
  } satisfies DocumentAsk;
}

/** Reads a kept document. */
export function readAdvisories(bytes: Uint8Array): KeptAdvisories {
  const { changedAt, pages } = JSON.parse(Buffer.from(bytes).toString()) as {
    readonly changedAt: Readonly<Record<AdvisoryPage, string>>;
    readonly pages: readonly KeptPage[];
  };
  const { base, update } = changedAt;
  return { changedAt: { base: new Date(base), update: new Date(update) }, pages };
}

/** Returns the advisories of one page of the own index; each page of the source is on one. */
export function advisoriesOn(kept: KeptAdvisories, page: AdvisoryPage): readonly NewAdvisory[] {
  return pagesOn(kept.pages, page).flatMap(({ advisories }) => advisories);
}

type Links = {
  readonly source: PackageSource;
  readonly links: readonly AdvisoryPageLink[];
  readonly kept: KeptAdvisories | undefined;
  readonly signal: AbortSignal;
};

/** Reads the pages that are newer than the kept ones. */
async function pagesOf(
  client: AdvisoryReads,
  { source, links, kept, signal }: Links,
): Promise<readonly KeptPage[]> {
  const pages: KeptPage[] = [];
  let total = 0;
  for (const link of links) {
    const { name, url } = link;
    const updatedAt = link.updatedAt?.toISOString() ?? "";
    const before = kept?.pages.find((page) => page.name === name && page.url === url.href);
    const isSame = updatedAt !== "" && before?.updatedAt === updatedAt;
    const page = isSame ? before : await readPage(client, { link, updatedAt, signal });
    total += page.advisories.length;
    if (total > ADVISORIES_MAX) throw tooMany(source);
    pages.push(page);
  }
  return pages;
}

async function readPage(
  client: AdvisoryReads,
  {
    link,
    updatedAt,
    signal,
  }: {
    readonly link: AdvisoryPageLink;
    readonly updatedAt: string;
    readonly signal: AbortSignal;
  },
): Promise<KeptPage> {
  const found = await client.advisories(link, { signal });
  const advisories = found.flatMap(({ id, ...fields }) => foreignAdvisory(id, fields) ?? []);
  return { name: link.name, url: link.url.href, updatedAt, advisories };
}

function savedAdvisories(
  pages: readonly KeptPage[],
  kept: KeptAdvisories | undefined,
  now: Date,
): Uint8Array {
  const changedAt = (page: AdvisoryPage) => {
    const isSame = kept && contentOf(pages, page) === contentOf(kept.pages, page);
    return isSame ? kept.changedAt[page] : now;
  };
  const saved = { changedAt: { base: changedAt("base"), update: changedAt("update") }, pages };
  return Buffer.from(JSON.stringify(saved));
}

function contentOf(pages: readonly KeptPage[], page: AdvisoryPage): string {
  return JSON.stringify(pagesOn(pages, page).map(({ advisories }) => advisories));
}

function pagesOn(pages: readonly KeptPage[], page: AdvisoryPage): readonly KeptPage[] {
  return pages.filter(({ name }) => (name === "base") === (page === "base"));
}

function tooMany({ url }: PackageSource): NuGetClientError {
  const reason = `the vulnerability index has more than ${ADVISORIES_MAX} advisories`;
  return new NuGetClientError("too-large", { url, reason });
}
