import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { Nuspec } from "./nuspec.ts";
import { isSemVer2Nuspec, parseNuspec } from "./nuspec.ts";
import { buildNuspec } from "../testing/build-nupkg.ts";

const LEAST = `<id>Acme.Widgets</id><version>1.0</version>
  <authors>acme</authors><description>Widgets.</description>`;

test("reads everything a manifest may say", () => {
  const nuspec = parse(`${LEAST}
    <title>Widgets &amp; more</title><summary><![CDATA[a &amp; <b>]]></summary>
    <tags>one, two;three  one</tags><language>en-US</language><copyright>&#169; 2026</copyright>
    <projectUrl>https://acme.example/</projectUrl><icon>images\\icon.png</icon>
    <readme>docs/README.md</readme>
    <license type="expression" version="1.0.0">MIT OR Apache-2.0</license>
    <licenseUrl>https://licenses.nuget.org/MIT%20OR%20Apache-2.0</licenseUrl>
    <requireLicenseAcceptance>true</requireLicenseAcceptance>
    <developmentDependency>false</developmentDependency>
    <repository type="git" url="https://acme.example/widgets.git" commit="abc" />
    <packageTypes><packageType name="DotnetTool" version="1.0" />
      <packageType name="Other" /></packageTypes>
    <unknownElement>ignored</unknownElement>
    <dependencies>
      <group targetFramework="net8.0">
        <dependency id="Contoso.Json" version="1.2" exclude="Build" />
        <dependency id="Contoso.Any" />
      </group>
      <group targetFramework="netstandard2.0" />
      <group><dependency id="Contoso.Json" version="[1.0, 2.0)" /></group>
    </dependencies>`);
  expect(nuspec).toEqual({
    id: "Acme.Widgets",
    version: "1.0.0",
    verbatimVersion: "1.0",
    authors: "acme",
    description: "Widgets.",
    title: "Widgets & more",
    summary: "a &amp; <b>",
    copyright: "© 2026",
    language: "en-US",
    tags: ["one", "two", "three"],
    projectUrl: "https://acme.example/",
    licenseUrl: "https://licenses.nuget.org/MIT%20OR%20Apache-2.0",
    icon: "images/icon.png",
    readme: "docs/README.md",
    license: { type: "expression", text: "MIT OR Apache-2.0" },
    requireLicenseAcceptance: true,
    developmentDependency: false,
    packageTypes: [{ name: "DotnetTool", version: "1.0" }, { name: "Other" }],
    repository: { type: "git", url: "https://acme.example/widgets.git", commit: "abc" },
    dependencyGroups: [
      {
        targetFramework: "net8.0",
        dependencies: [
          { id: "Contoso.Json", range: "[1.2.0, )" },
          { id: "Contoso.Any", range: "(, )" },
        ],
      },
      { targetFramework: "netstandard2.0", dependencies: [] },
      { dependencies: [{ id: "Contoso.Json", range: "[1.0.0, 2.0.0)" }] },
    ],
  });
});

test("reads past what only clients and packing tools need", () => {
  const metadata = `${LEAST}<owners>somebody else</owners><serviceable>true</serviceable>
    <contentFiles><files include="**/*.cs" buildAction="Compile"/></contentFiles>
    <frameworkAssemblies><frameworkAssembly assemblyName="System.Web"/></frameworkAssemblies>
    <frameworkReferences><group targetFramework="net8.0"><frameworkReference name="X"/></group>
    </frameworkReferences>
    <references><group targetFramework="net45"><reference file="a.dll"/></group></references>
    <packageTypes><packageType name=" Dependency " version=""/></packageTypes>
    <dependencies><group targetFramework=" .NETFramework4.6.1 ">
      <dependency id="A" version="1.0" include="all" exclude="Build,Analyzers"/></group>
    </dependencies>`;
  const text = buildNuspec(metadata).replace(
    "</package>",
    '<files><file src="a" target="b"/><file src="c" target="d"/></files></package>',
  );
  const outcome = parseNuspec(Buffer.from(text));
  expect(outcome).toMatchObject({
    status: "valid",
    nuspec: {
      authors: "acme",
      packageTypes: [{ name: "Dependency", version: undefined }],
      dependencyGroups: [
        { targetFramework: ".NETFramework4.6.1", dependencies: [{ id: "A", range: "[1.0.0, )" }] },
      ],
    },
  });
});

test("reads a flat list of dependencies as one group for any framework", () => {
  const flat = parse(`${LEAST}<dependencies><dependency id="A" version="1.0"/></dependencies>`);
  expect(flat.dependencyGroups).toEqual([{ dependencies: [{ id: "A", range: "[1.0.0, )" }] }]);
});

test("reads manifests in the encodings that tools write", () => {
  const text = buildNuspec(`${LEAST}<title>Größe</title>`);
  const utf16 = text.replace("utf-8", "utf-16");
  const latin1 = text.replace("utf-8", "iso-8859-1");
  for (const bytes of [
    Buffer.from(`\ufeff${text}`),
    Buffer.from(`\ufeff${utf16}`, "utf16le"),
    Buffer.from(`\ufeff${utf16}`, "utf16le").swap16(),
    Buffer.from(latin1, "latin1"),
    Buffer.from(text.replace(/ xmlns="[^"]*"/, "")),
  ]) {
    expect(parseNuspec(bytes)).toMatchObject({ status: "valid", nuspec: { title: "Größe" } });
  }
});

const dependency = (attributes: string) =>
  `${LEAST}<dependencies><dependency ${attributes}/></dependencies>`;

test.each([
  ["no id", LEAST.replace(/<id>.*<\/id>/, ""), /no <id>/],
  ["a bad id", LEAST.replace("Acme.Widgets", "Acme..Widgets"), /"Acme\.\.Widgets" is not allowed/],
  ["an unreplaced token", LEAST.replace("Acme.Widgets", "$id$"), /not allowed/],
  ["no version", LEAST.replace(/<version>.*<\/version>/, ""), /no <version>/],
  ["a bad version", LEAST.replace("1.0", "1.0.x"), /"1\.0\.x" is not a version/],
  ["a long version", LEAST.replace("1.0", `1.0.0-${"a".repeat(80)}`), /longer than 64/],
  ["no authors", LEAST.replace("acme", " "), /no <authors>/],
  ["no description", LEAST.replace("Widgets.<", "<"), /no <description>/],
  ["a field twice", `${LEAST}<title>a</title><title>b</title>`, /<title> 2 times/],
  ["a long title", `${LEAST}<title>${"a".repeat(257)}</title>`, /<title> is over 256/],
  ["long notes", `${LEAST}<releaseNotes>${"a".repeat(35_001)}</releaseNotes>`, /35000/],
  ["a relative address", `${LEAST}<projectUrl>/here</projectUrl>`, /<projectUrl> must be/],
  ["a script address", `${LEAST}<iconUrl>javascript:alert(1)</iconUrl>`, /<iconUrl> must be/],
  [
    "a flag that is none",
    `${LEAST}<serviceable>1</serviceable>
    <requireLicenseAcceptance>yes</requireLicenseAcceptance>`,
    /<requireLicenseAcceptance> must be true or false.*<serviceable> must be/,
  ],
  [
    "acceptance of no license",
    `${LEAST}<requireLicenseAcceptance>true</requireLicenseAcceptance>`,
    /needs a <license>/,
  ],
  ["a license without type", `${LEAST}<license>MIT</license>`, /<license> needs type/],
  ["no SPDX", `${LEAST}<license type="expression">MIT/X11</license>`, /not an SPDX/],
  [
    "a newer license version",
    `${LEAST}<license type="expression" version="2.0.0">MIT</license>`,
    /newer/,
  ],
  [
    "two licenses",
    `${LEAST}<license type="expression">MIT</license>
    <licenseUrl>https://acme.example/license</licenseUrl>`,
    /cannot be used together/,
  ],
  [
    "a bad package type",
    `${LEAST}<packageTypes><packageType name="a b"/></packageTypes>`,
    /not a package type/,
  ],
  ["a bad dependency id", dependency('id="a b" version="1.0"'), /not a package id/],
  ["a floating range", dependency('id="A" version="1.*"'), /Floating versions/],
  ["a broken range", dependency('id="A" version="[2.0,1.0]"'), /no valid range/],
  ["metadata in a range", dependency('id="A" version="[1.0.0+x, )"'), /build metadata/],
  [
    "a dependency twice",
    `${LEAST}<dependencies><dependency id="A" version="1.0"/>
    <dependency id="a" version="2.0"/></dependencies>`,
    /a is listed twice in a group/,
  ],
  [
    "groups and a flat list",
    `${LEAST}<dependencies><group/><dependency id="A"/></dependencies>`,
    /mixes/,
  ],
  [
    "an unknown framework",
    `${LEAST}<dependencies><group targetFramework="foo1.0"/></dependencies>`,
    /"foo1\.0"/,
  ],
  ["a long branch", `${LEAST}<repository branch="${"b".repeat(4001)}"/>`, /branch is over 4000/],
])("refuses %s", (_, metadata, reason) => {
  expect(problemsOf(buildNuspec(metadata)).join(" ")).toMatch(reason);
});

test("gives all reasons at once", () => {
  const problems = problemsOf(buildNuspec("<id>a b</id><version>x</version>"));
  expect(problems).toHaveLength(4);
});

test.each([
  ["a document type", '<!DOCTYPE package [<!ENTITY a "aaaa">]>', /document type/],
  ["an external entity", '<!DOCTYPE p SYSTEM "file:///etc/passwd">', /document type/],
  ["a document type behind a comment", "<!-- <!DOCTYPE a> --><!DOCTYPE a>", /document type/],
])("refuses %s", (_, prolog, reason) => {
  const text = buildNuspec(LEAST).replace(/<package /, `${prolog}<package `);
  expect(problemsOf(text).join(" ")).toMatch(reason);
});

test("lets a comment and CDATA talk about document types", () => {
  const text = `${LEAST}<!-- <!DOCTYPE a> --><title><![CDATA[<!DOCTYPE html>]]></title>`;
  expect(parse(text).title).toBe("<!DOCTYPE html>");
});

test.each([
  ["nothing", ""],
  ["plain text", "hello"],
  ["an open element", "<package><metadata>"],
  ["crossed elements", "<package><metadata></package></metadata>"],
  ["two roots", "<package><metadata/></package><package/>"],
  ["another root", "<project/>"],
  ["another namespace", '<package xmlns="http://evil.example"><metadata/></package>'],
  ["no metadata", "<package/>"],
  ["two metadata elements", "<package><metadata/><metadata/></package>"],
  ["an unknown entity", buildNuspec(`${LEAST}<title>&nbsp;</title>`)],
  ["a bare ampersand", buildNuspec(`${LEAST}<title>a & b</title>`)],
  ["a raw null character", buildNuspec(`${LEAST}<title>a\u0000b</title>`)],
  ["a raw control character", buildNuspec(`${LEAST}<title>a\u001bb</title>`)],
  ["a null character", buildNuspec(`${LEAST}<title>&#0;</title>`)],
  ["a prototype name", buildNuspec(`${LEAST}<__proto__>x</__proto__>`)],
  ["deep nesting", "<package>".repeat(5000) + "</package>".repeat(5000)],
  ["broken UTF-8", Buffer.from([0x3c, 0xff, 0xfe, 0x3e])],
  ["an unknown encoding", '<?xml version="1.0" encoding="klingon"?><package/>'],
  ["more than a mebibyte", " ".repeat(1024 * 1024 + 1)],
])("refuses %s with a reason", (_, content) => {
  const outcome = parseNuspec(Buffer.from(content));
  expect(outcome).toMatchObject({ status: "invalid", problems: [expect.any(String)] });
});

test("never throws and never hangs, whatever the bytes", () => {
  const pieces = fc.constantFrom(
    ..."<package> </package> <metadata> </metadata> <id> </id> a &amp; & < > <!-- --> ]]>".split(
      " ",
    ),
    "<![CDATA[",
    "<!DOCTYPE x>",
    '<dependency id="a" version="1.0"/>',
    " ",
    "\u0000",
  );
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 40 }), (parts) => {
      expect(parseNuspec(Buffer.from(parts.join("")))).toHaveProperty("status");
    }),
  );
});

// A parser that looks back for each character would take hours for these.
test.each(["<", "<!--", "<a ", '<a b="', "<![CDATA[", "&#", "<?xml ", "<a>", "</a>", "a:"])(
  "a mebibyte of %j is answered",
  (piece) => {
    const text = `<package><metadata>${piece.repeat(Math.floor(1_000_000 / piece.length))}`;
    expect(parseNuspec(Buffer.from(text)).status).toBe("invalid");
  },
);

test.each([
  "<!-- -->",
  "<![CDATA[x]]>",
  "<?x ?>",
  "<a/>",
  "<a></a>",
  "&amp;",
  "&#65;",
  "&",
  "<title>a</title>",
  '<dependencies><dependency id="a" version="1.0"/></dependencies>',
])("a mebibyte of %j inside the metadata is answered", (piece) => {
  const text = buildNuspec(`${LEAST}${piece.repeat(Math.floor(1_000_000 / piece.length))}`);
  expect(parseNuspec(Buffer.from(text))).toHaveProperty("status");
});

test("takes thousands of dependencies, and nothing that is mostly tags", () => {
  const dependencies = (count: number) =>
    Array.from({ length: count }, (_, n) => `<dependency id="D${n}" version="1.0"/>`).join("");
  const many = parse(`${LEAST}<dependencies>${dependencies(5_000)}</dependencies>`);
  expect(many.dependencyGroups[0]?.dependencies).toHaveLength(5_000);
  const problems = problemsOf(
    buildNuspec(`${LEAST}<dependencies>${dependencies(20_000)}</dependencies>`),
  );
  expect(problems).toEqual([expect.stringContaining("more than 10000 tags")]);
});

test("quotes no more of broken XML than people read", () => {
  const problems = problemsOf(`<package><${"x".repeat(900_000)}`);
  expect(problems.join("").length).toBeLessThan(500);
});

test("a mebibyte of attributes, or of one attribute, is answered", () => {
  const many = Array.from({ length: 60_000 }, (_, index) => `a${index}="x"`).join(" ");
  for (const attributes of [
    many,
    `a="${"x".repeat(1_000_000)}"`,
    `a="${"&amp;".repeat(200_000)}"`,
  ]) {
    const text = `<package ${attributes}><metadata/></package>`;
    expect(parseNuspec(Buffer.from(text))).toHaveProperty("status");
  }
});

test.each([
  ["1.0.0", "1.0.0", false],
  ["1.0.0-beta.1", "1.0.0", true],
  ["1.0.0", "[1.0.0-beta.1, )", true],
  ["1.0.0-beta", "1.0.0-beta", false],
])("version %s with dependency %s: needs SemVer 2.0.0 is %s", (version, range, expected) => {
  const metadata = dependency(`id="A" version="${range}"`).replace("1.0<", `${version}<`);
  expect(isSemVer2Nuspec(parse(metadata))).toBe(expected);
});

function parse(metadata: string): Nuspec {
  const outcome = parseNuspec(Buffer.from(buildNuspec(metadata)));
  if (outcome.status === "invalid") throw new Error(outcome.problems.join(" "));
  return outcome.nuspec;
}

function problemsOf(text: string): readonly string[] {
  const outcome = parseNuspec(Buffer.from(text));
  return outcome.status === "invalid" ? outcome.problems : [];
}

test("minClientVersion stays as written", () => {
  const nuspec = `<package><metadata minClientVersion="3.3">
    <id>Acme</id><version>1.0.0</version><authors>me</authors><description>d</description>
  </metadata></package>`;
  const outcome = parseNuspec(Buffer.from(nuspec));
  expect(outcome).toMatchObject({ status: "valid", nuspec: { minClientVersion: "3.3" } });
});
