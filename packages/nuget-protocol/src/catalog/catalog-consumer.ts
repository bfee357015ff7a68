import type { CatalogEvent, CatalogPorts } from "./write-catalog.ts";

/** Consumer of events that writes the NuGet catalog. It hashes files that have no hash yet. */
export type CatalogConsumer = Disposable & {
  readonly name: string;
  handle(events: readonly CatalogEvent[]): Promise<void>;
};

/** Disposal aborts the event that is being handled; it is delivered again at the next start. */
export function openCatalogConsumer(
  ports: CatalogPorts,
  { signingEnabled }: { readonly signingEnabled: boolean },
): CatalogConsumer {
  const stop = new AbortController();
  return {
    name: "nuget-catalog",
    async handle(events) {
      const concerning = events.filter(({ subject }) => subject.startsWith("nuget/"));
      if (concerning.length === 0) return;
      // Loaded here because it parses manifests, which a start does not need.
      const { writeCatalog } = await import("./write-catalog.ts");
      await writeCatalog(ports, concerning, { signingEnabled, signal: stop.signal });
    },
    [Symbol.dispose]: () => stop.abort(),
  };
}
