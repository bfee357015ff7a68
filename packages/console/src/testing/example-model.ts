import type { FrontPageModel } from "../front/model.ts";

/** A registry that has everything, for the tests of the pages. */
export function exampleModel(fields: Partial<FrontPageModel> = {}): FrontPageModel {
  const now = new Date("2026-03-01T12:00:00Z");
  const before = (seconds: number) => new Date(now.getTime() - seconds * 1_000);
  const digest = `sha256:${"9f86d081884c7d65".repeat(4)}`;
  return {
    name: "Sealhouse",
    version: "0.1.0",
    address: "http://localhost:8080",
    now,
    protocols: ["nuget", "npm", "oci"],
    anonymousRead: true,
    command: "./sealhouse",
    latest: [
      { protocol: "oci", name: "team/base", version: digest, publishedAt: before(20) },
      { protocol: "npm", name: "@acme/app", version: "2.0.1", publishedAt: before(400) },
      { protocol: "nuget", name: "Acme.Core", version: "1.0.0-rc.1", publishedAt: before(7_200) },
    ],
    signing: {
      certificate: {
        fingerprint: "ab12".repeat(16),
        subject: "CN=Sealhouse Repository Signing",
        notAfter: new Date("2036-01-01T00:00:00Z"),
      },
    },
    ...fields,
  };
}
