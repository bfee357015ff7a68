// How many methods ports have. A port is an exported interface, or an exported object type in a
// file whose name ends in `ports.ts` or `port.ts`.

/** More methods than one reader of a port needs. */
export const PORT_METHODS_MAX = 7;

const DECLARATION =
  /^export (?:(?<interface>interface) (?<port>\w+)|type (?<type>\w+))(?:<[^>]*>)?(?: extends [^{]*)?(?: =(?: [^{\n]* &)?)? \{\n(?<body>(?:.*\n)*?)\}/gm;
/** `find(`, `find?(`, `find<T>(`, `readonly find: (`; formatted by oxfmt. */
const METHOD = /^ {2}(?:readonly )?(?<name>\w+)\??(?:(?:<[^>]*>)?\(|: (?:<[^>]*>)?\()/gm;

export type PortSize = { readonly port: string; readonly methods: number };

/** The ports that a file declares; methods with several signatures count once. */
export function portSizes(path: string, text: string): readonly PortSize[] {
  const declaresTypes = /(?:^|[/-])ports?\.ts$/.test(path);
  return [...text.matchAll(DECLARATION)].flatMap(({ groups = {} }) => {
    const port = groups["port"] ?? (declaresTypes ? groups["type"] : undefined);
    if (port === undefined) return [];
    const names = [...(groups["body"] ?? "").matchAll(METHOD)].map(
      (match) => match.groups?.["name"],
    );
    return [{ port, methods: new Set(names).size }];
  });
}
