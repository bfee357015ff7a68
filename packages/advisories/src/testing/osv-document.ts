/** A document as the GitHub Advisory Database has it. */
export function osvDocument(advisory: {
  readonly id: string;
  readonly package: string;
  readonly fixed?: string;
  readonly severity?: "LOW" | "MODERATE" | "HIGH" | "CRITICAL";
  readonly ecosystem?: string;
}): object {
  const { id, fixed, severity = "HIGH", ecosystem = "NuGet" } = advisory;
  return {
    schema_version: "1.4.0",
    id,
    modified: "2026-01-02T03:04:05Z",
    published: "2026-01-01T00:00:00Z",
    summary: `Something about ${advisory.package}`,
    affected: [
      {
        package: { ecosystem, name: advisory.package },
        ranges: [
          {
            type: "ECOSYSTEM",
            events: [{ introduced: "0" }, ...(fixed === undefined ? [] : [{ fixed }])],
          },
        ],
      },
    ],
    database_specific: { severity, github_reviewed: true },
  };
}
