import { expect, test } from "vitest";
import {
  exampleDigest,
  examplePreview,
  exampleImage,
  exampleImagePage,
  exampleImages,
  exampleIndex,
  exampleRepository,
  exampleRunConfig,
} from "../testing/example-images.ts";
import { exampleSite } from "../testing/example-packages.ts";
import {
  REFUSALS,
  WRITTEN_ADDRESSES,
  expectLinksBelow,
  expectTextStaysText,
  wordsOf,
} from "../testing/page-text.ts";
import { attachedName, kindName } from "./artifact-names.ts";
import type { ImagesPorts } from "./images-app.ts";
import { createImagesApp } from "./images-app.ts";
import type { ImagePage, RunConfig } from "./model.ts";

const respond = (path: string, ports: Partial<ImagesPorts> = {}) =>
  createImagesApp(exampleImages(ports)).request(path);
const render = async (path: string, ports?: Partial<ImagesPorts>) =>
  (await respond(path, ports)).text();
const pageWith = (fields: Partial<ImagePage>, ports: Partial<ImagesPorts> = {}) =>
  render("/images/x:1", {
    image: async () => ({ status: "found", page: exampleImagePage(fields) }),
    ...ports,
  });
const configured = (config: Partial<RunConfig>): ImagePage["contents"] => {
  if (exampleImage.type !== "image") throw new Error("the example is an image");
  return { ...exampleImage, config: { status: "read", config: exampleRunConfig(config) } };
};

const HEX = "a".repeat(64);

test.each([
  ["/images/app", { repository: "app" }],
  ["/images/acme/app/", { repository: "acme/app" }],
  ["/images/acme%2Fapp", { repository: "acme/app" }],
  ["/images/acme/app:1.0", { repository: "acme/app", reference: "1.0" }],
  ["/images/acme/app%3A1.0", { repository: "acme/app", reference: "1.0" }],
  ["/images/a/delete:x", { repository: "a/delete", reference: "x" }],
  ["/images/a/delete", { repository: "a/delete" }],
  [`/images/a@sha256:${HEX}`, { repository: "a", reference: `sha256:${HEX}` }],
  [`/images/a%40sha256%3A${HEX}`, { repository: "a", reference: `sha256:${HEX}` }],
])("%s is about %j", async (path, expected) => {
  const calls: unknown[] = [];
  await render(path, {
    repository: async (_, repository) => {
      calls.push({ repository });
      return { status: "absent", near: [] };
    },
    image: async (_, image) => {
      calls.push(image);
      return { status: "absent", near: [] };
    },
  });
  expect(calls).toEqual([expected]);
});

test.each([
  "/images/",
  "/images/..%2f..%2fetc",
  "/images/Acme",
  "/images/a:1:2",
  "/images/a@1",
  "/images/a:%3Cb%3E",
  "/images/%ff",
  "/images/a:1/delete/x",
  `/images/${"a".repeat(2_000)}`,
])("%s is not the address of a page", async (path) => {
  const ask = async () => {
    throw new Error("must not be asked for");
  };
  expect((await respond(path, { repository: ask, image: ask, previewDeletion: ask })).status).toBe(
    404,
  );
});

test("a session that must confirm a deletion is asked with the image and its form", async () => {
  const asked: unknown[] = [];
  const app = createImagesApp(
    exampleImages({
      confirm: async (_, { subject, backPath, values }) => {
        asked.push([subject, backPath, values.get("proof")]);
        return new Response(undefined, { status: 303 });
      },
      remove: async () => ({ status: "step-up" }),
    }),
  );
  const path = "/images/acme/app:1.0/delete";
  const answer = await app.request(path, {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: "proof=secret",
  });
  expect([answer.status, asked]).toEqual([303, [["acme/app:1.0", path, "secret"]]]);
});

test("the page of an image contains all its data", async () => {
  const html = await render("/images/acme/app:1.0.0");
  const words = wordsOf(html);
  for (const text of [
    "docker pull localhost:8080/acme/app:1.0.0",
    `docker pull localhost:8080/acme/app@${exampleDigest("a")}`,
    "podman pull --tls-verify=false localhost:8080/acme/app:1.0.0",
    "skopeo copy --src-tls-verify=false docker://localhost:8080/acme/app:1.0.0 oci:app",
    'Entry point ["/srv/app","--serve"]',
    "Environment (2)",
    "And 99 more.",
    "2 layers, 50.0 MB with the config.",
    "Provenance (Sigstore bundle)",
    "SBOM (SPDX)",
    "Signed by this registry (cosign, notation) and verified now.",
    "And 57 more.",
    "And 19 more.",
  ]) {
    expect(words).toContain(text);
  }
  expect(html).toContain('<a href="https://github.com/acme/app" rel="nofollow noopener');
  expect(html).toContain("<title>acme/app:1.0.0 - Images - Sealhouse</title>");
});

test("pull lines depend on the kind of content and on access", async () => {
  const site = () => exampleSite({ address: "https://a.example", anonymousRead: false });
  const words = async (fields: Partial<ImagePage>) => wordsOf(await pageWith(fields, { site }));
  const chart = await words({ artifactType: "application/vnd.cncf.helm.config.v1+json" });
  expect(chart).toContain("helm pull oci://a.example/acme/app --version 1.0.0");
  expect(chart).toContain("helm registry login --username token a.example");
  expect(chart).not.toContain("docker pull");
  const artifact = await words({ artifactType: "application/x-thing" });
  expect(artifact).toContain("oras pull a.example/acme/app:1.0.0");
  const mediaType = "application/vnd.oci.image.index.v1+json";
  const index = await words({ contents: exampleIndex, mediaType, artifactType: undefined });
  expect(index).toContain("skopeo copy --all docker://a.example/acme/app:1.0.0 oci:app");
  expect(index).toContain("docker login --username token a.example");
  expect(index).toContain("And 137 more.");
  expect(await words({ tag: "$(reboot)" })).not.toContain("docker pull");
});

test("links keep the base path of the registry", async () => {
  const site = () => exampleSite({ address: "https://a.example/registry" });
  const paths = ["/images?q=a&after=b", "/images/acme/app?page=2", "/images/acme/app:1"];
  for (const path of [...paths, "/images/acme/app:1/delete"]) {
    const html = await render(path, { site });
    expectLinksBelow("/registry", html);
  }
});

test("links between pages keep the query", async () => {
  const html = await render("/images?q=%22acme%22&after=a");
  expect(html).toContain('value="&quot;acme&quot;"');
  expect(html).toContain('rel="next" href="/images?q=%22acme%22&amp;after=tools%2Fempty"');
  expect(html).toContain('rel="first" href="/images?q=%22acme%22"');
  const tags = await render("/images/acme/app?tag=1&attached=true&page=2");
  expect(tags).toContain('rel="next" href="/images/acme/app?tag=1&amp;attached=true&amp;page=3"');
  expect(tags).toContain('rel="prev" href="/images/acme/app?tag=1&amp;attached=true"');
});

test.each([
  [{ mediaType: "application/vnd.oci.image.index.v1+json" }, "Multi-platform"],
  [{ mediaType: "application/vnd.docker.distribution.manifest.list.v2+json" }, "Multi-platform"],
  [{ artifactType: "application/vnd.cyclonedx+json" }, "SBOM (CycloneDX)"],
  [{ artifactType: "application/vnd.cncf.notary.signature" }, "Signature (notation)"],
  [{ artifactType: "constructor" }, "Artifact"],
  [{ artifactType: "application/vnd.wasm.config.v0+json" }, "WebAssembly"],
])("%j is called %s", (row, name) => {
  expect(kindName({ digest: "", mediaType: "", ...row })).toBe(name);
});

test.each([
  [{ tag: `sha256-${HEX}.att`, artifactType: undefined }, "Attestation (cosign)"],
  [{ predicateType: "https://sigstore.dev/cosign/sign/v1" }, "Signature (in-toto)"],
  [{ predicateType: "https://example.com/own" }, "Attestation (in-toto)"],
])("attached, %j is called %s", (row, name) => {
  expect(attachedName({ digest: "", mediaType: "", ...row })).toBe(name);
});

test.each(WRITTEN_ADDRESSES)("an annotation %j links to %s", async (value, href) => {
  const annotations = { total: 1, shown: [{ name: "url", value }] };
  const html = await pageWith({ annotations, contents: configured({ labels: annotations }) });
  const items = [...html.matchAll(/<dd class="said">(.*?)<\/dd>/gs)].map(([, item]) => item);
  expect(items).toHaveLength(2);
  for (const item of items) {
    if (href === undefined) expect(item).not.toContain("<a ");
    else expect(item).toContain(`<a href="${href}" rel="nofollow noopener noreferrer">`);
    expect(item).not.toContain("secret");
  }
});

test("shortens huge texts of manifests", async () => {
  const huge = "é<b>".repeat(250_000);
  const list = { total: 1, shown: [huge] };
  const labels = { total: 1, shown: [{ name: huge, value: huge }] };
  const steps = Array.from({ length: 200 }, () => ({ text: huge, comment: huge }));
  const html = await pageWith({
    mediaType: huge,
    artifactType: huge,
    annotations: labels,
    contents: configured({
      platform: huge,
      author: huge,
      user: huge,
      workingDir: huge,
      stopSignal: huge,
      entrypoint: [huge],
      command: [huge],
      environment: list,
      ports: list,
      volumes: list,
      labels,
      history: { total: 30_000, steps },
    }),
  });
  expect(html.length).toBeLessThan(1_000_000);
  expect(wordsOf(html)).toContain("And 29,800 more.");
});

test("manifest data never becomes an HTML tag or attribute", async () => {
  await expectTextStaysText((text) => pageWith(pushed(text)));
});

function pushed(text: () => string): Partial<ImagePage> {
  const pairs = { total: 1, shown: [{ name: text(), value: `x:${text()}` }] };
  const list = { total: 1, shown: [text()] };
  return {
    mediaType: text(),
    artifactType: `x/${text()}`,
    annotations: pairs,
    contents: configured({
      platform: text(),
      author: text(),
      user: text(),
      entrypoint: [text()],
      environment: list,
      ports: list,
      labels: pairs,
      history: { total: 1, steps: [{ text: text(), comment: text() }] },
    }),
  };
}

test.each(REFUSALS)("a refused caller (%j) sees and changes nothing", async (refusal, status) => {
  const refuse = async () => refusal;
  const ports = {
    repositories: refuse,
    repository: refuse,
    image: refuse,
    previewDeletion: refuse,
  };
  for (const path of ["/images", "/images/acme/app", "/images/a:1", "/images/a:1/delete"]) {
    const response = await respond(path, ports);
    expect(response.status).toBe(status);
    expect(await response.text()).not.toContain("acme/web");
  }
  const app = createImagesApp(exampleImages({ remove: refuse }));
  const body = new URLSearchParams({ proof: "x" });
  const request = new Request("http://x/images/a:1/delete", { method: "POST", body });
  const response = await app.request(request);
  expect(response.status).toBe(status);
  expect(request.bodyUsed).toBe(false);
});

test.each([
  [{ status: "deleted" }, 200, "Deleted"],
  [{ status: "stale" }, 409, "The confirmation has expired"],
  [{ status: "immutable", tag: "1", rule: "<releases>" }, 409, "is immutable (rule <releases>)"],
  [{ status: "held" }, 403, "A hold protects this digest"],
  [{ status: "absent", near: [] }, 404, "has no image acme/app:1"],
] as const)("the page shows the outcome of a deletion: %j", async (outcome, status, text) => {
  const app = createImagesApp(exampleImages({ remove: async () => outcome }));
  const body = new URLSearchParams({ proof: examplePreview().proof });
  const response = await app.request("/images/acme/app:1/delete", { method: "POST", body });
  expect(response.status).toBe(status);
  expect(wordsOf(await response.text())).toContain(text);
});

test.each([
  ["cross-site", 409],
  ["same-site", 409],
  ["none", 409],
  ["same-origin", 200],
])("a form that a browser calls %s gets %i", async (site, status) => {
  const app = createImagesApp(exampleImages());
  const body = new URLSearchParams({ proof: "x" });
  const headers = { "sec-fetch-site": site };
  const init = { method: "POST", body, headers };
  expect((await app.request("/images/acme/app:1/delete", init)).status).toBe(status);
});

test("an incomplete list of repositories suggests a search", async () => {
  const cut = { status: "found", hasMore: false, isCut: true } as const;
  for (const repositories of [[exampleRepository()], []]) {
    const words = wordsOf(
      await render("/images", { repositories: async () => ({ ...cut, repositories }) }),
    );
    expect(words).toContain("This list may be incomplete");
    expect(words).toContain("Search for a part of the name, such as team/");
    expect(words).not.toMatch(/No images yet|No matching repository|1 repository, by name/);
  }
  expect(wordsOf(await render("/images"))).not.toContain("may be incomplete");
});

test("an unknown name returns 404 with similar names", async () => {
  const near = ["acme/app", "<b>"];
  const html = await render("/images/acme/ap", {
    repository: async () => ({ status: "absent", near }),
  });
  expect(wordsOf(html)).toContain("has no image acme/ap .");
  expect(html).toContain('href="/images/acme/app"');
  expect(html).toContain('href="/images/%3Cb%3E"');
  const single = await render("/images?q=x", {
    repositories: async () => ({
      status: "found",
      repositories: [exampleRepository({ name: "<i>" })],
      hasMore: false,
      isCut: false,
    }),
  });
  expect(single).not.toContain("<i>");
  expect(wordsOf(single)).toContain("1 repository, by name");
});
