import { assert, asyncProperty, constantFrom, infiniteStream } from "fast-check";
import { expect } from "vitest";

/** Returns the visible text with normalized spaces. */
export function wordsOf(html: string): string {
  return html
    .replaceAll("<wbr />", "")
    .replaceAll(/<[^>]*>/g, " ")
    .replaceAll(/\s+/g, " ")
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&");
}

/** The kinds of elements on a page, with the names of their attributes. */
export function tagsOf(html: string): readonly string[] {
  const tags = html.replaceAll(/"[^"]*"/g, '""').match(/<[a-z][^>]*>/g) ?? [];
  return [...new Set(tags.map((tag) => tag.replaceAll(/\s+/g, " ")))].toSorted();
}

/** Every link of a page to its own host is below `path`, and there are such links. */
export function expectLinksBelow(path: string, html: string): void {
  const own = [...html.matchAll(/(?:href|src|action)="(\/[^"]*)"/g)].map(([, link]) => link);
  expect(own.length).toBeGreaterThan(2);
  expect(own.filter((link) => !link?.startsWith(`${path}/`))).toEqual([]);
}

/** Untrusted URLs, and the link that a page may contain for each. */
export const WRITTEN_ADDRESSES: readonly (readonly [written: string, href: string | undefined])[] =
  [
    ["javascript:alert(1)", undefined],
    ["data:text/html,<script>alert(1)</script>", undefined],
    ["file:///etc/passwd", undefined],
    ["//evil.example", undefined],
    ["see https://a.example", undefined],
    ["https://github.com@evil.example/acme", "https://evil.example/acme"],
    ["https://user:secret@acme.example/", "https://acme.example/"],
    [`https://a.example/${"x".repeat(5_000)}`, undefined],
  ];

/** Refusals of the console, with their HTTP statuses. */
export const REFUSALS = [
  [{ status: "anonymous" }, 401],
  [{ status: "denied", reason: "This token opens other names." }, 401],
  [{ status: "limited", retryAfterSeconds: 5 }, 429],
] as const;

const PIECES = ["<", ">", '"', "'", "&", "`", "=", " ", "javascript:", "\u0000", "\ud800"];

/** Compares the elements and attributes of a page with those of a page with harmless texts. */
export async function expectTextStaysText(
  render: (text: () => string) => Promise<string>,
): Promise<void> {
  const plainTags = tagsOf(await render(() => "x"));
  await assert(
    asyncProperty(infiniteStream(constantFrom(...PIECES, "a", "script")), async (words) => {
      const text = () => [...words.take(8)].join("");
      expect(tagsOf(await render(text))).toEqual(plainTags);
    }),
    { numRuns: 60 },
  );
}
