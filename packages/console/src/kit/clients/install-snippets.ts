import { SHELL_SAFE } from "./shell-lines.ts";

/** Instructions for one kind of client. */
export type Snippet = {
  /** Short and unique; part of element ids. */
  readonly key: string;
  readonly title: string;
  readonly parts: readonly SnippetPart[];
};

export type SnippetPart = {
  /** Describes the lines or the file they belong to. */
  readonly label: string;
  readonly lines: readonly string[];
  /** Lines for a shell, or the text of a file; default `shell`. */
  readonly kind?: "shell" | "file";
};

type Shown = {
  readonly id: string;
  readonly version: string;
  readonly packageTypes: readonly string[];
  readonly developmentDependency: boolean;
};

type PackageIdentity = Pick<Shown, "id" | "version">;

/**
 * Returns instructions to install a version, most common first. `index` is the URL of the feed's
 * service index. Empty when a name is not safe for a shell.
 */
export function installSnippets(shown: Shown, index: string): readonly Snippet[] {
  if (!SHELL_SAFE.test(shown.id) || !SHELL_SAFE.test(shown.version)) return [];
  const types = new Set(shown.packageTypes.map((type) => type.toLowerCase()));
  if (types.has("dotnettool")) return toolSnippets(shown);
  if (types.has("mcpserver")) return toolSnippets(shown);
  if (types.has("template")) return [templateSnippet(shown)];
  if (types.has("msbuildsdk")) return [sdkSnippet(shown)];
  return librarySnippets(shown, index);
}

function librarySnippets(shown: Shown, index: string): readonly Snippet[] {
  const { id, version } = shown;
  return [
    {
      key: "cli",
      title: ".NET CLI",
      parts: [
        {
          label: "In the project folder",
          lines: [`dotnet add package ${id} --version ${version}`],
        },
      ],
    },
    {
      key: "reference",
      title: "PackageReference",
      parts: [
        {
          label: "In the project file",
          lines: reference(shown, ` Version="${version}"`),
          kind: "file",
        },
      ],
    },
    {
      key: "central",
      title: "Central management",
      parts: [
        {
          label: "In Directory.Packages.props",
          lines: [`<PackageVersion Include="${id}" Version="${version}" />`],
          kind: "file",
        },
        { label: "In the project file", lines: reference(shown, ""), kind: "file" },
      ],
    },
    {
      key: "paket",
      title: "Paket",
      parts: [
        {
          label: "In paket.dependencies",
          lines: [`source ${index}`, `nuget ${id} ${version}`],
          kind: "file",
        },
        {
          label: "Or, when the source exists",
          lines: [`dotnet paket add ${id} --version ${version}`],
        },
      ],
    },
    {
      key: "script",
      title: "Script",
      parts: [
        {
          label: "In a file-based C# app",
          lines: [`#:package ${id}@${version}`],
          kind: "file",
        },
        {
          label: "In F# or C# Interactive and notebooks",
          lines: [`#r "nuget: ${id}, ${version}"`],
          kind: "file",
        },
      ],
    },
  ];
}

/** Prevents a development dependency from becoming a dependency of the project's consumers. */
function reference({ id, developmentDependency }: Shown, version: string): readonly string[] {
  if (!developmentDependency) return [`<PackageReference Include="${id}"${version} />`];
  return [
    `<PackageReference Include="${id}"${version}>`,
    "  <PrivateAssets>all</PrivateAssets>",
    "  <IncludeAssets>runtime; build; native; contentfiles; analyzers</IncludeAssets>",
    "</PackageReference>",
  ];
}

function toolSnippets({ id, version }: PackageIdentity): readonly Snippet[] {
  return [
    {
      key: "global",
      title: "For this user",
      parts: [
        {
          label: "In all folders of this user",
          lines: [`dotnet tool install --global ${id} --version ${version}`],
        },
      ],
    },
    {
      key: "local",
      title: "For this folder",
      parts: [
        {
          label: "In the source tree; run the first line once",
          lines: [
            "dotnet new tool-manifest",
            `dotnet tool install --local ${id} --version ${version}`,
          ],
        },
      ],
    },
    {
      key: "once",
      title: "Just once",
      parts: [{ label: "Since .NET 10", lines: [`dnx ${id}@${version}`] }],
    },
  ];
}

function templateSnippet({ id, version }: PackageIdentity): Snippet {
  return {
    key: "template",
    title: "Template",
    parts: [
      {
        label: "Since .NET 9; earlier versions use :: instead of @",
        lines: [`dotnet new install ${id}@${version}`],
      },
    ],
  };
}

function sdkSnippet({ id, version }: PackageIdentity): Snippet {
  return {
    key: "sdk",
    title: "MSBuild SDK",
    parts: [
      {
        label: "In the project file",
        lines: [`<Sdk Name="${id}" Version="${version}" />`],
        kind: "file",
      },
    ],
  };
}
