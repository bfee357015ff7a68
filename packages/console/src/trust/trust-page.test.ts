import { expect, test } from "vitest";
import { exampleSite } from "../testing/example-packages.ts";
import { exampleCertificate, exampleTrust } from "../testing/example-trust.ts";
import type { Site } from "../kit/page/model.ts";
import type { TrustPage } from "./model.ts";
import { createTrustApp } from "./trust-app.ts";

const respond = (page: TrustPage | undefined, site: Partial<Site> = {}) =>
  createTrustApp({ site: () => exampleSite(site), trust: async () => page }).request("/trust");
const render = async (fields: Partial<TrustPage> = {}, site: Partial<Site> = {}) =>
  (await respond(exampleTrust(fields), site)).text();

/** Returns the text that a user copies from the element with this id. */
function linesOf(html: string, id: string): string {
  const markup = new RegExp(`<pre id="lines-${id}"><code>(.*?)</code></pre>`, "s").exec(html)?.[1];
  return textOf(markup ?? "");
}

function textOf(html: string): string {
  return html
    .replaceAll(/<[^>]*>/g, "")
    .replaceAll("&quot;", '"')
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&");
}

test("the nuget.config element contains every fingerprint in upper case", async () => {
  const html = await render({}, { name: "Acme Packages", address: "https://a.example/feed" });
  expect(linesOf(html, "signers")).toBe(
    `<trustedSigners>
  <repository name="acme-packages" serviceIndex="https://a.example/feed/v3/index.json">
    <certificate fingerprint="${"AB12".repeat(16)}"
      hashAlgorithm="SHA256" allowUntrustedRoot="true" />
    <certificate fingerprint="${"CD34".repeat(16)}"
      hashAlgorithm="SHA256" allowUntrustedRoot="true" />
  </repository>
</trustedSigners>`,
  );
});

test("only a self-signed certificate allows an untrusted root", async () => {
  const issued = exampleCertificate({ issuer: "CN=Acme Authority" });
  const html = await render({ certificates: [issued] });
  expect(linesOf(html, "signers")).toContain('allowUntrustedRoot="false"');
  expect(linesOf(html, "trust")).not.toContain("--allow-untrusted-root");
  expect(textOf(html)).toMatch(/Issued by\s+CN=Acme Authority/);
  expect(textOf(html)).toContain("get its root certificate from the authority");
  expect(html).not.toContain("sealhouse.pem");
});

test("dotnet writes the element from a package of this feed", async () => {
  const site = { address: "https://a.example/feed" };
  expect(linesOf(await render({}, site), "trust")).toBe(
    "curl -fsSO https://a.example/feed/v3/package/acme.core/2.1.0-rc.1/" +
      "acme.core.2.1.0-rc.1.nupkg\n" +
      "dotnet nuget trust repository sealhouse acme.core.2.1.0-rc.1.nupkg --allow-untrusted-root\n",
  );
  const closed = await render({ example: undefined }, { ...site, anonymousRead: false });
  expect(linesOf(closed, "trust")).toMatch(/^curl -fsSO --user token:YOUR_TOKEN .*acme\.widgets/);
});

test("shell lines omit a package name that is unsafe in a shell", async () => {
  const html = await render({ example: { id: "a$(reboot)", version: "1.0.0" } });
  expect(html).not.toContain("reboot");
});

test("downloads the roots into one file, on every system", async () => {
  const html = await render({}, { address: "https://a.example" });
  const [first, second] = linesOf(html, "linux-0").trim().split("\n");
  expect(first).toBe(
    '(echo "-----BEGIN CERTIFICATE-----"; ' +
      `curl -fsS https://a.example/v3/certificates/${"ab12".repeat(16)}.crt | base64; ` +
      'echo "-----END CERTIFICATE-----") > sealhouse.pem',
  );
  expect(second).toMatch(/cd34\.crt .*>> sealhouse\.pem$/);
  expect(linesOf(html, "container-0")).toContain(`RUN ${first}\nRUN ${second}\n`);
  expect(linesOf(html, "windows-0")).toMatch(/Invoke-WebRequest .* -OutFile sealhouse-2\.crt/);
});

test("each certificate has its identifying data and a download link", async () => {
  const html = await render({}, { address: "https://a.example/feed" });
  const text = textOf(html);
  expect(text).toContain("AB12".repeat(16));
  expect(text).toContain("2026-01-01 to 2036-01-01");
  expect(html).toContain(`href="/feed/v3/certificates/${"ab12".repeat(16)}.crt" download`);
  expect(html).toContain(`href="/feed/v3/certificates/${"cd34".repeat(16)}.crt" download`);
  expect(text).toContain("nuget.org");
});

test("the page has no instructions before the first signature", async () => {
  const html = await render({ certificates: [] });
  expect(textOf(html)).toContain("The certificate is created when the first package is signed.");
  expect(html).not.toContain("<trustedSigners>");
});

test("without signing there is no such page", async () => {
  expect((await respond(undefined)).status).toBe(404);
});

test("does not repeat an address that could do harm in a shell", async () => {
  const response = await respond(exampleTrust(), { address: "http://a;reboot" });
  expect(response.status).toBe(400);
  expect(await response.text()).not.toContain("reboot");
});

test.each(["<script>alert(1)</script>", '"><img src=x onerror=alert(1)>'])(
  "whatever a certificate is called, %j stays text",
  async (hostile) => {
    const certificates = [exampleCertificate({ subject: hostile, issuer: hostile })];
    const html = await render({ certificates }, { name: hostile });
    expect(html).not.toMatch(/<script(?! src="\/assets)|<img/i);
    expect(textOf(html)).toContain(hostile);
  },
);

test("verifies images with the key and the root of the page", async () => {
  const site = { address: "https://a.example/feed" };
  const html = await render({ images: true }, site);
  expect(linesOf(html, "cosign")).toBe(
    "curl -fsSO https://a.example/feed/trust/images/cosign.pub\n" +
      "cosign verify --key cosign.pub --private-infrastructure a.example/team/app:1.0\n",
  );
  expect(linesOf(html, "notation")).toContain(
    "curl -fsSO https://a.example/feed/trust/images/notation.pem\n",
  );
  expect(await render({}, site)).not.toContain("cosign");
});

test("the page has no package instructions when only images are signed", async () => {
  const html = textOf(await render({ certificates: undefined, images: true }, { name: "Acme" }));
  expect(html).toContain("Trust the images of Acme");
  expect(html).toContain("cosign.pub");
  expect(html).not.toMatch(/NU3018|nuget.config|certificate is created/);
});
