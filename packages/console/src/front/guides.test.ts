import type { Protocol } from "@sealhouse/request-types";
import { expect, test } from "vitest";
import { guideFor } from "./guides.ts";
import { sourceNameOf } from "../kit/clients/client-lines.ts";
import type { FrontPageModel } from "./model.ts";
import { parsePublicAddress } from "../kit/page/public-address.ts";
import { exampleModel } from "../testing/example-model.ts";

function linesFor(protocol: Protocol, address: string, fields: Partial<FrontPageModel> = {}) {
  const parsed = parsePublicAddress(address);
  if (!parsed) throw new Error(`${address} is no address`);
  return guideFor(protocol, parsed, exampleModel(fields)).steps.flatMap((step) => step.lines);
}

test("NuGet over https needs no option", () => {
  expect(linesFor("nuget", "https://packages.example.com")).toEqual([
    "dotnet nuget add source https://packages.example.com/v3/index.json --name sealhouse",
    "dotnet nuget push Acme.Widgets.1.0.0.nupkg " +
      "--source https://packages.example.com/v3/index.json --api-key YOUR_TOKEN",
    "dotnet add package Acme.Core --version 1.0.0-rc.1",
  ]);
});

test("NuGet lines for http allow insecure connections wherever the option exists", () => {
  expect(linesFor("nuget", "http://localhost:8080", { latest: [] })).toEqual([
    "dotnet nuget add source http://localhost:8080/v3/index.json --name sealhouse " +
      "--allow-insecure-connections",
    "dotnet nuget push Acme.Widgets.1.0.0.nupkg --source http://localhost:8080/v3/index.json " +
      "--api-key YOUR_TOKEN --allow-insecure-connections",
    "dotnet add package Acme.Widgets",
  ]);
});

test("the line for a private NuGet source contains credentials", () => {
  const [add] = linesFor("nuget", "https://a.example", { anonymousRead: false });
  expect(add).toBe(
    "dotnet nuget add source https://a.example/v3/index.json --name sealhouse " +
      "--username token --password YOUR_TOKEN --store-password-in-clear-text",
  );
});

test("npm lines set the scope, the token and the registry", () => {
  expect(linesFor("npm", "https://a.example/registry")).toEqual([
    'npm config set "@acme:registry=https://a.example/registry/npm/"',
    'npm config set "//a.example/registry/npm/:_authToken=YOUR_TOKEN"',
    "npm publish --registry https://a.example/registry/npm/",
    "npm install @acme/app@2.0.1",
  ]);
});

test("an npm package without a scope names the registry in its install line", () => {
  const { now } = exampleModel();
  const latest = [{ protocol: "npm", name: "tool", version: "1.0.0", publishedAt: now }] as const;
  const lines = linesFor("npm", "http://localhost:8080", { latest });
  expect(lines[0]).toBe('npm config set "@acme:registry=http://localhost:8080/npm/"');
  expect(lines.at(-1)).toBe("npm install tool@1.0.0 --registry http://localhost:8080/npm/");
});

test("container clients over https need no option", () => {
  const lines = linesFor("oci", "https://a.example", { latest: [] });
  expect(lines).toEqual([
    "docker login --username token a.example",
    "podman login --username token a.example",
    "docker tag app:latest a.example/team/app:1.0",
    "docker push a.example/team/app:1.0",
    "podman push app:latest a.example/team/app:1.0",
    "skopeo copy docker-archive:app.tar docker://a.example/team/app:1.0",
    "docker pull a.example/team/app:1.0",
    "podman pull a.example/team/app:1.0",
    "skopeo copy docker://a.example/team/app:1.0 docker-archive:app.tar",
  ]);
});

test("podman and skopeo lines have an option for http, docker lines have none", () => {
  const lines = linesFor("oci", "http://localhost:8080", { latest: [] });
  for (const line of lines)
    expect(line.includes("tls-verify=false")).toBe(!line.startsWith("docker"));
});

test.each([
  ["http://packages.lan:8080", true],
  ["http://localhost:8080", false],
  ["http://127.0.0.1:8080", false],
  ["https://packages.lan", false],
])("explains docker's own setting for %s: %s", (address, explained) => {
  const parsed = parsePublicAddress(address);
  const notes = parsed && guideFor("oci", parsed, exampleModel()).steps.map((step) => step.note);
  expect(notes?.some((note) => note?.includes("insecure-registries"))).toBe(explained);
});

test("pulls an image without a tag by digest", () => {
  const lines = linesFor("oci", "https://a.example");
  expect(lines).toContainEqual(
    expect.stringMatching(/^docker pull a\.example\/team\/base@sha256:[\da-f]{64}$/),
  );
});

test.each([
  "$(reboot)",
  "a;b",
  "a b",
  "-rf",
  "a`b`",
  "a'b",
  'a"b',
  "a&b",
  "a|b",
  "a>b",
  "a\nb",
  "",
])("a package named %j is never put into a line", (name) => {
  const { now } = exampleModel();
  for (const protocol of ["nuget", "npm", "oci"] as const) {
    const badName = [{ protocol, name, version: "1.0.0", publishedAt: now }];
    const versioned = [{ protocol, name: "a", version: name, publishedAt: now }];
    const plain = linesFor(protocol, "https://a.example", { latest: [] });
    expect(linesFor(protocol, "https://a.example", { latest: badName })).toEqual(plain);
    expect(linesFor(protocol, "https://a.example", { latest: versioned })).toEqual(plain);
  }
});

test.each([
  ["Sealhouse", "sealhouse"],
  ["Contoso Packages (EU)", "contoso-packages-eu"],
  ["包", "sealhouse"],
])("the registry %s is the source %s", (name, source) => {
  expect(sourceNameOf(name)).toBe(source);
});

test.each([
  ["http://localhost:8080/", "http://localhost:8080", "localhost:8080"],
  ["https://A.Example:443", "https://a.example", "a.example"],
  ["https://a.example/x/y/", "https://a.example/x/y", "a.example"],
  ["http://[::1]:80/", "http://[::1]", "[::1]"],
  ["https://a.example/%40acme/a+b:c", "https://a.example/%40acme/a+b:c", "a.example"],
  ["https://a.example/a b", "https://a.example/a%20b", "a.example"],
])("%s is the base %s on the host %s", (text, base, host) => {
  expect(parsePublicAddress(text)).toMatchObject({ base, host });
});

test.each([
  "",
  "localhost:8080",
  "ftp://a.example",
  "http://a;b",
  "http://$(x)",
  "http://a'b",
  "http://user:password@a.example",
  "http://a.example/?x",
  "http://a.example/#x",
  "http://a.example/$(x)",
])("%j is not an address to show", (text) => {
  expect(parsePublicAddress(text)).toBeUndefined();
});
