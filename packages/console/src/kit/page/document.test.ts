import { Hono } from "hono";
import { html } from "hono/html";
import { expect, test } from "vitest";
import { createAssetsApp, SCRIPT_PATH, STYLE_PATH } from "../assets/assets-app.ts";
import { exampleSite } from "../../testing/example-packages.ts";
import { documentResponse } from "./document.ts";
import { finishPages } from "./finish-pages.ts";
import { pageResponse } from "./page-response.ts";
import { parsePublicAddress } from "./public-address.ts";
import { createThemeApp } from "./theme-app.ts";
import { themeIn } from "./theme.ts";

const SCRIPT_BYTES_MAX = 6 * 1_024;
const STYLE_BYTES_MAX = 19 * 1_024;

/** Pages for readers at `/`, pages with codes at `/form`, the files of the design. */
function exampleApp(text = () => "Text of the page. ".repeat(200)) {
  const app = new Hono();
  app.route("/", createAssetsApp());
  finishPages(app);
  const site = (request: Request) => exampleSite({ theme: themeIn(request) });
  const page = (request: Request, isForReaders: boolean) => {
    const address = parsePublicAddress("http://localhost:8080/feed");
    if (!address) throw new Error("The address of the example is wrong.");
    const main = html`<main id="content">
      <h1>Page</h1>
      <p>${text()}</p>
    </main>`;
    return pageResponse(site(request), address, { title: "Page", main, isForReaders });
  };
  app.get("/", (c) => page(c.req.raw, true));
  app.get("/form", (c) => page(c.req.raw, false));
  app.post("/form", (c) => page(c.req.raw, false));
  app.route("/", createThemeApp({ site }));
  return app;
}

test("a page allows no inline style or script, and nothing of other hosts", async () => {
  const response = await documentResponse({ title: "A <b>", body: html`<p>x</p>` });
  expect(response.headers.get("content-security-policy")).toBe(
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; " +
      "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; " +
      "require-trusted-types-for 'script'",
  );
  expect(response.headers.get("x-content-type-options")).toBe("nosniff");
  const page = await response.text();
  expect(page).not.toMatch(/<style|<script>|\sstyle="|\son\w+="/);
  expect(page).toContain("<title>A &lt;b&gt;</title>");
});

test("the files of a page are immutable, small, and below the path of the registry", async () => {
  const app = exampleApp();
  const page = await (await app.request("/")).text();
  const files = [...page.matchAll(/(?:href|src)="(\/feed\/assets\/[^"]+)"/g)].map(([, at]) => at);
  expect(files).toEqual([`/feed${STYLE_PATH}`, `/feed${SCRIPT_PATH}`]);
  const style = await app.request(STYLE_PATH);
  const script = await app.request(SCRIPT_PATH);
  expect(style.headers.get("content-type")).toBe("text/css; charset=utf-8");
  expect(script.headers.get("content-type")).toBe("text/javascript; charset=utf-8");
  for (const file of [style, script]) {
    expect(file.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
  }
  expect(Buffer.byteLength(await script.text())).toBeLessThan(SCRIPT_BYTES_MAX);
  const rules = await style.text();
  expect(Buffer.byteLength(rules)).toBeLessThan(STYLE_BYTES_MAX);
  expect(rules).toMatch(/^@layer tokens, base, layout, parts;/);
});

test("a file of another version is the current one, which nothing keeps", async () => {
  for (const path of ["/assets/console-0123456789abcdef.css", "/assets/console-00.js"]) {
    const answer = await exampleApp().request(path);
    expect([answer.status, answer.headers.get("cache-control")]).toEqual([200, "no-store"]);
  }
  expect((await exampleApp().request("/assets/console-0.html")).status).toBe(404);
});

test("a browser asks whether a page for readers changed, for each caller and theme", async () => {
  let text = "Text of the page. ".repeat(200);
  const app = exampleApp(() => text);
  const first = await app.request("/", { headers: { "accept-encoding": "gzip" } });
  const etag = first.headers.get("etag") ?? "";
  expect(etag).toMatch(/^W\/"[\w-]{22}"$/);
  expect(first.headers.get("cache-control")).toBe("private, no-cache");
  expect(first.headers.get("vary")).toBe("Cookie, Authorization, Accept-Encoding");
  const again = async (headers: Record<string, string> = {}) =>
    app.request("/", { headers: { "if-none-match": etag, ...headers } });
  const same = await again();
  expect([same.status, await same.text()]).toEqual([304, ""]);
  expect(same.headers.get("etag")).toBe(etag);
  expect((await again({ cookie: "theme=dark" })).status).toBe(200);
  text = "Another text";
  expect((await again()).status).toBe(200);
});

test("nothing keeps a page with a code, and it has no entity tag", async () => {
  const answer = await exampleApp().request("/form");
  expect(answer.headers.get("cache-control")).toBe("private, no-store");
  expect(answer.headers.get("etag")).toBeNull();
});

test.each([
  ["an anonymous caller", "/?q=secret", {}, "gzip"],
  ["a session without a text of others", "/", { cookie: "a=b" }, "gzip"],
  ["a session with a text of others", "/?q=secret", { cookie: "a=b" }, null],
  ["a token with a text of others", "/?q=secret", { authorization: "Bearer x" }, null],
])("compresses the page for %s, %s: %j", async (_, path, headers, encoding) => {
  const asked = { "accept-encoding": "gzip", ...headers };
  const answer = await exampleApp().request(path, { headers: asked });
  expect(answer.headers.get("content-encoding")).toBe(encoding);
});

test("never compresses the answer to a form, which may have a new token", async () => {
  const headers = { "accept-encoding": "gzip", cookie: "a=b" };
  const answer = await exampleApp().request("/form", { method: "POST", headers });
  expect(answer.headers.get("content-encoding")).toBeNull();
});

test.each([
  ["dark", "/packages?q=a", "theme=dark; Path=/; SameSite=Lax; Max-Age=31536000", "/packages?q=a"],
  ["system", "/", "theme=; Path=/; SameSite=Lax; Max-Age=0", "/"],
  ["x;Domain=evil", "//evil.example", "theme=; Path=/; SameSite=Lax; Max-Age=0", "/"],
])("changes the theme to %s without a script", async (theme, returnUrl, cookie, location) => {
  const answer = await exampleApp().request("/theme", {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams({ theme, returnUrl }).toString(),
  });
  expect([answer.status, answer.headers.get("location")]).toEqual([303, location]);
  expect(answer.headers.get("set-cookie")).toBe(cookie);
});

test("shows the theme of the cookie from the first byte on, and no other text", async () => {
  const pageOf = async (cookie: string) =>
    (await exampleApp().request("/", { headers: { cookie } })).text();
  expect(await pageOf("theme=dark")).toContain('<html lang="en" data-theme="dark">');
  expect(await pageOf('theme="><script>')).toContain('<html lang="en" >');
});
