import { expect, test } from "vitest";
import { createConsoleApp } from "./console-app.ts";
import type { FrontPageModel } from "./model.ts";
import { notFoundResponse, wantsPage } from "../kit/refusals/not-found-page.ts";
import { formatRelativeTime } from "../kit/elements/relative-time.ts";
import { exampleModel } from "../testing/example-model.ts";
import { exampleSite } from "../testing/example-packages.ts";

const respond = (fields: Partial<FrontPageModel> = {}) =>
  createConsoleApp({ page: async () => exampleModel(fields) }).request("/");
const render = async (fields?: Partial<FrontPageModel>) => (await respond(fields)).text();

/** Returns the visible text: the page without tags, with decoded entities. */
function wordsOf(html: string): string {
  const entities = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'" };
  const text = html.replaceAll(/<[^>]*>/g, "");
  return Object.entries(entities)
    .toReversed()
    .reduce((all, [name, character]) => all.replaceAll(`&${name};`, character), text);
}

test("shows the shell lines unchanged, one per line", async () => {
  const words = wordsOf(await render({ isOnHost: true })).split("\n");
  expect(words).toContainEqual(
    expect.stringContaining(
      "dotnet nuget add source http://localhost:8080/v3/index.json --name sealhouse " +
        "--allow-insecure-connections",
    ),
  );
  expect(words).toContainEqual(
    expect.stringMatching(/\.\/sealhouse token create --name laptop --scopes read,write$/),
  );
  expect(words).toContain("docker push localhost:8080/team/app:1.0");
});

test("shows only the guides of the enabled protocols", async () => {
  const html = await render({ protocols: ["nuget"] });
  expect(html).toContain('id="guide-nuget"');
  expect(html).not.toMatch(/npm publish|docker/);
});

test("uses the CLI command of this installation", async () => {
  const words = wordsOf(await render({ command: "sealhouse", isOnHost: true }));
  expect(words).toMatch(/^\s*sealhouse token create --name laptop/m);
  expect(words).not.toContain("./sealhouse");
});

test.each([
  [{ path: "/" }, 'href="/sign-in?returnUrl=%2Faccount%2Ftokens"'],
  [{ path: "/", name: "Ada" }, 'href="/account/tokens"'],
])("callers elsewhere get a link instead of a command: %j", async (visitor, link) => {
  const html = await render({ visitor });
  expect(html).toContain(link);
  expect(html).not.toContain("token create");
});

test("lists the latest packages with their time, digests shortened", async () => {
  const html = await render();
  expect(html).toContain('<time datetime="2026-03-01T11:53:20.000Z"');
  const words = wordsOf(html).replaceAll(/\s+/g, " ");
  expect(words).toMatch(/team\/base sha256:9f86d081884c… Image just now/);
  expect(words).toMatch(/@acme\/app 2\.0\.1 npm 6 minutes ago/);
  expect(words).toMatch(/Acme\.Core 1\.0\.0-rc\.1 NuGet 2 hours ago/);
});

test("shows a note when no package exists", async () => {
  expect(wordsOf(await render({ latest: [] }))).toContain("No packages yet.");
});

test("shows how to sign in when the caller may not read", async () => {
  const html = await render({ latest: undefined, anonymousRead: false });
  const words = wordsOf(html).replaceAll(/\s+/g, " ");
  expect(words).toContain("A token or an account is required to read. Sign in with either.");
  expect(words).not.toContain("No packages yet");
});

test("one field searches each enabled protocol", async () => {
  const html = await render({ protocols: ["nuget", "oci"] });
  const targets = [...html.matchAll(/formaction="([^"]+)"/g)].map(([, target]) => target);
  expect(targets).toEqual(["/packages", "/images"]);
  expect(html).toMatch(/<form class="card" action="\/packages" role="search">/);
});

test("shows the certificate and links to the trust page", async () => {
  const html = await render({ address: "https://a.example/feed" });
  const words = wordsOf(html);
  expect(words).toContain("AB12".repeat(16));
  expect(words).toContain("2036-01-01");
  expect(html).toContain('href="/feed/trust"');
  expect(html).toContain(`href="https://a.example/feed/v3/certificates/${"ab12".repeat(16)}.crt"`);
});

test.each([
  [undefined, "Disabled. Packages keep the signatures they were pushed with."],
  [{}, "Enabled. The certificate is created when the first package is signed."],
])("shows the signing state: %j", async (signing, text) => {
  const words = wordsOf(await render({ signing })).replaceAll(/\s+/g, " ");
  expect(words).toContain(text);
  expect(words).not.toContain("Download the certificate");
});

test("shows whether anonymous callers may read", async () => {
  expect(await render()).toContain("Public read access");
  expect(await render({ anonymousRead: false })).toContain("Token required to read");
});

test("the footer links to the client instructions", async () => {
  const html = await render({ address: "https://a.example/registry/" });
  expect(html).toContain('<a href="/registry/#connect">Connect a client</a>');
});

test.each([
  "<script>alert(1)</script>",
  '"><img src=x onerror=alert(1)>',
  "' onmouseover='alert(1)",
  "</style><script>alert(1)</script>",
  "&lt;b&gt;",
  "${7*7}",
])("whatever is called %j stays text", async (hostile) => {
  const publishedAt = new Date("2026-03-01T00:00:00Z");
  const calm = await render();
  const html = await render({
    name: hostile,
    version: hostile,
    command: hostile,
    isOnHost: true,
    latest: [{ protocol: "npm", name: hostile, version: hostile, publishedAt }],
    signing: {
      certificate: {
        fingerprint: hostile,
        subject: hostile,
        notAfter: publishedAt,
      },
    },
  });
  expect(html).not.toMatch(/<script(?! src="\/assets)|<img|onmouseover='|onerror=alert\(1\)>/i);
  expect(wordsOf(html)).toContain(hostile);
  expect(tagsOf(calm)).toEqual(expect.arrayContaining([...tagsOf(html)]));
});

/** The kinds of elements on a page, with the names of their attributes. */
function tagsOf(html: string): readonly string[] {
  const tags = html.replaceAll(/"[^"]*"/g, '""').match(/<[a-z][^>]*>/g) ?? [];
  return [...new Set(tags)].toSorted();
}

test("HEAD returns no body", async () => {
  const app = createConsoleApp({ page: async () => exampleModel() });
  const response = await app.request("/", { method: "HEAD" });
  expect(response.status).toBe(200);
  expect(await response.text()).toBe("");
});

test("refuses a public address that is unsafe in a shell", async () => {
  const response = await respond({ address: "http://a;reboot" });
  expect(response.status).toBe(400);
  expect(await response.text()).not.toContain("reboot");
});

test("the 404 page shows the path as text", async () => {
  const response = await notFoundResponse(exampleSite(), "/<script>alert(1)</script>");
  expect(response.status).toBe(404);
  expect(response.headers.get("content-security-policy")).toContain("default-src 'none'");
  const html = await response.text();
  expect(html).not.toContain("<script>");
  expect(wordsOf(html)).toContain("no page at /<script>alert(1)</script>");
  expect(html).toContain('<a href="/">');
  expect(html).toContain('role="search"');
});

test.each([
  ["GET", "text/html,application/xhtml+xml", true],
  ["HEAD", "text/html", true],
  ["POST", "text/html", false],
  ["GET", "application/json", false],
  ["GET", "*/*", false],
])("a person asks by %s for %s: %s", (method, accept, person) => {
  expect(wantsPage(new Request("http://a.example", { method, headers: { accept } }))).toBe(person);
});

test.each([
  [-5, "just now"],
  [59, "just now"],
  [60, "1 minute ago"],
  [3_599, "59 minutes ago"],
  [7_200, "2 hours ago"],
  [86_400, "1 day ago"],
  [45 * 86_400, "1 month ago"],
  [800 * 86_400, "2 years ago"],
])("%i seconds are %s", (seconds, text) => {
  const now = new Date("2026-03-01T12:00:00Z");
  expect(formatRelativeTime(new Date(now.getTime() - seconds * 1_000), now)).toBe(text);
});
