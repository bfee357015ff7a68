import { expect, test } from "vitest";
import { describeInBrowser, faultsOf } from "../testing/page-checks.ts";
import { exampleSite } from "../testing/example-packages.ts";
import { exampleCertificate, exampleTrust } from "../testing/example-trust.ts";
import type { TrustPage } from "./model.ts";
import { createTrustApp } from "./trust-app.ts";

const WORD = "unbreakable".repeat(20);

const cases: Readonly<Record<string, TrustPage>> = {
  "one certificate": exampleTrust({ certificates: [exampleCertificate()] }),
  "two certificates": exampleTrust(),
  "one of an authority, with long names": exampleTrust({
    certificates: [exampleCertificate({ subject: WORD, issuer: `CN=${WORD}` })],
    example: { id: WORD, version: "1.0.0" },
  }),
  "no certificate yet": exampleTrust({ certificates: [] }),
};

function answering(page: TrustPage) {
  const app = createTrustApp({ site: () => exampleSite(), trust: async () => page });
  return async (request: Request) => app.fetch(request);
}

describeInBrowser((open) => {
  test.each(Object.entries(cases))(
    "%s: accessible in light and dark, never scrolls sideways, loads no external resource",
    async (_, shown) => {
      await using opened = await open({
        path: "trust",
        answer: answering(shown),
      });
      const { page, problems, requests } = opened;
      expect(await faultsOf(page)).toEqual([]);
      expect(problems).toEqual([]);
      expect(requests).toEqual(["http://localhost:8080/trust"]);
    },
  );

  test("the copy button copies the nuget.config element unchanged", async () => {
    await using opened = await open({
      path: "trust",
      permissions: ["clipboard-read", "clipboard-write"],
      answer: answering(exampleTrust({ certificates: [exampleCertificate()] })),
    });
    const { page } = opened;
    await page.getByRole("button", { name: /Inside <configuration>/ }).click();
    await page.getByText("Copied").waitFor();
    const copied = await page.evaluate("navigator.clipboard.readText()");
    expect(copied).toMatch(/^<trustedSigners>\n {2}<repository name="sealhouse"/);
    expect(copied).toContain(`fingerprint="${"AB12".repeat(16)}"\n`);
  });

  test("the copy button copies wrapped lines of the selected system without breaks", async () => {
    await using opened = await open({
      path: "trust",
      viewport: { width: 320, height: 800 },
      permissions: ["clipboard-read", "clipboard-write"],
      answer: answering(exampleTrust()),
    });
    const { page } = opened;
    await page.getByText("Fedora, RHEL", { exact: true }).click();
    expect(
      await page.getByText("In PowerShell, as administrator", { exact: true }).isVisible(),
    ).toBe(false);
    await page.getByRole("button", { name: /Add the root to the system's list/ }).click();
    await page.getByText("Copied").waitFor();
    expect(await page.evaluate("navigator.clipboard.readText()")).toBe(
      "sudo cp sealhouse.pem /etc/pki/ca-trust/source/anchors/\nsudo update-ca-trust",
    );
  });
});
