import { expect, test } from "vitest";
import {
  exampleDigest,
  examplePreview,
  exampleImagePage,
  exampleImages,
  exampleIndex,
  exampleRepository,
  exampleRepositoryPage,
  exampleRunConfig,
  exampleTag,
} from "../testing/example-images.ts";
import { exampleSite } from "../testing/example-packages.ts";
import {
  describeInBrowser,
  testChoiceWithoutScript,
  testEveryPage,
} from "../testing/page-checks.ts";
import type { PageCases } from "../testing/page-checks.ts";
import type { ImagesPorts } from "./images-app.ts";
import { createImagesApp } from "./images-app.ts";
import type { ImagePage, RunConfig } from "./model.ts";

const WORD = "unbreakable".repeat(18);
const PUSHED = new Date("2026-02-26T12:00:00Z");
const LONG_ROW = { digest: `sha512:${"f".repeat(128)}`, mediaType: WORD, artifactType: WORD };

const pairs = { total: 1, shown: [{ name: WORD, value: WORD }] };
const list = { total: 1, shown: [WORD] };
const longConfig: RunConfig = exampleRunConfig({
  platform: WORD,
  author: WORD,
  user: WORD,
  workingDir: WORD,
  entrypoint: [WORD],
  environment: list,
  ports: list,
  volumes: list,
  labels: pairs,
  history: { total: 1, steps: [{ text: WORD, comment: WORD }] },
});
const longContents: ImagePage["contents"] = {
  type: "image",
  configType: WORD,
  layerCount: 1,
  totalSize: 9_007_199_254_740_991,
  layers: [{ ...LONG_ROW, size: 9_007_199_254_740_991, title: WORD }],
  config: { status: "read", config: longConfig },
};
const large = exampleImagePage({
  ...LONG_ROW,
  repository: WORD,
  tag: WORD.slice(0, 128),
  tags: { total: 1, names: [WORD.slice(0, 128)] },
  subject: LONG_ROW.digest,
  contents: longContents,
  annotations: pairs,
  parents: [LONG_ROW],
  attached: { total: 1, rows: [{ ...LONG_ROW, pushedAt: PUSHED, predicateType: WORD }] },
  seal: { status: "other-key" },
});
const bare = exampleImagePage({
  tag: undefined,
  pulledAt: undefined,
  tags: { total: 0, names: [] },
  subject: undefined,
  contents: { type: "unreadable" },
  annotations: { total: 0, shown: [] },
  parents: [],
  attached: { total: 0, rows: [] },
  seal: { status: "off" },
  deletable: false,
});
const index = exampleImagePage({
  mediaType: "application/vnd.oci.image.index.v1+json",
  artifactType: undefined,
  contents: exampleIndex,
  seal: { status: "unsigned" },
});
const chart = exampleImagePage({
  artifactType: "application/vnd.cncf.helm.config.v1+json",
  seal: { status: "unchecked" },
});

const showing = (page: ImagePage): Partial<ImagesPorts> => ({
  image: async () => ({ status: "found", page }),
});
const longName = exampleRepository({ name: WORD });
const longTags = exampleRepositoryPage({
  name: WORD,
  hostNames: [`${WORD.slice(0, 60)}.example`],
  tags: { total: 1, lines: [exampleTag({ tag: WORD.slice(0, 128) })], number: 1, last: 1 },
});

const cases: PageCases<Partial<ImagesPorts>> = {
  repositories: ["images?q=acme&after=a", {}],
  "repositories with long names": [
    "images",
    {
      repositories: async () => ({
        status: "found",
        repositories: [longName],
        hasMore: false,
        isCut: true,
      }),
    },
  ],
  "no repositories": [
    "images?q=none",
    {
      repositories: async () => ({
        status: "found",
        repositories: [],
        hasMore: false,
        isCut: false,
      }),
    },
  ],
  tags: ["images/acme/app?page=2&attached=true", {}],
  "tags with long names": [
    "images/x",
    { repository: async () => ({ status: "found", page: longTags }) },
  ],
  "an image with everything": ["images/acme/app:1.0.0", {}],
  "an image with next to nothing": [`images/acme/app@${exampleDigest("a")}`, showing(bare)],
  "an image with long texts": ["images/x:1", showing(large)],
  "an index": ["images/x:1", showing(index)],
  "a chart, where everybody needs a token": [
    "images/x:1",
    { ...showing(chart), site: () => exampleSite({ anonymousRead: false }) },
  ],
  "no such image": [
    `images/${WORD}:1`,
    { image: async () => ({ status: "absent", near: ["acme/app", WORD] }) },
  ],
  "a tag to delete": ["images/acme/app:1.0.0/delete", {}],
  "a manifest to delete": [
    `images/acme/app@${exampleDigest("a")}/delete`,
    {
      previewDeletion: async () => ({
        status: "found",
        preview: examplePreview({ tag: undefined }),
      }),
    },
  ],
};

function answering(ports: Partial<ImagesPorts>) {
  const app = createImagesApp(exampleImages(ports));
  return async (request: Request) => app.fetch(request);
}

describeInBrowser((open) => {
  testEveryPage(open, cases, answering);

  test("the keyboard reaches a tag from the search and copies its lines", async () => {
    await using opened = await open({
      path: "images",
      permissions: ["clipboard-read", "clipboard-write"],
      answer: answering({}),
    });
    const { page, problems } = opened;
    await page.getByRole("searchbox").focus();
    await page.keyboard.type("acme/");
    await page.keyboard.press("Enter");
    await page.waitForURL(/q=acme%2F/);
    await page.getByRole("link", { name: "acme/app" }).press("Enter");
    await page.getByRole("checkbox").focus();
    await page.keyboard.press("Space");
    await page.getByRole("button", { name: "Show" }).press("Enter");
    await page.waitForURL(/attached=true/);
    await page.getByRole("link", { name: "1.0.0" }).press("Enter");
    await page.getByRole("heading", { level: 1, name: /acme\/app 1\.0\.0/ }).waitFor();
    expect(page.url()).toBe("http://localhost:8080/images/acme/app:1.0.0");
    await page.getByRole("radio", { name: "skopeo" }).focus();
    await page.keyboard.press("Space");
    await page.getByRole("button", { name: /By tag/ }).press("Enter");
    await page.getByText("Copied").waitFor();
    expect(await page.evaluate("navigator.clipboard.readText()")).toBe(
      "skopeo copy --src-tls-verify=false docker://localhost:8080/acme/app:1.0.0 oci:app",
    );
    expect(problems).toEqual([]);
  });

  test("the deletion form works without scripts", async () => {
    const removed: unknown[] = [];
    const app = createImagesApp(
      exampleImages({
        remove: async (_, image, readProof) => {
          removed.push({ ...image, proof: await readProof() });
          return { status: "deleted" };
        },
      }),
    );
    await using opened = await open({
      path: "images/acme/app:1.0.0",
      javaScriptEnabled: false,
      answer: async (request) => app.fetch(request),
    });
    const { page, problems } = opened;
    await page.getByRole("link", { name: "Delete the tag 1.0.0" }).press("Enter");
    await page.getByRole("button", { name: "Delete the tag 1.0.0" }).press("Enter");
    await page.getByRole("heading", { level: 1, name: "Deleted" }).waitFor();
    const { proof } = examplePreview();
    expect(removed).toEqual([{ repository: "acme/app", reference: "1.0.0", proof }]);
    expect(problems).toEqual([]);
  });

  testChoiceWithoutScript(open, {
    path: "images/acme/app:1.0.0",
    answer: answering({ site: () => exampleSite({ anonymousRead: false }) }),
    choice: "podman",
    line: "podman login --tls-verify=false --username token localhost:8080",
  });
});
