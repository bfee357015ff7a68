import {
  AliasNode,
  MssqlQueryCompiler,
  OrderByItemNode,
  OrderByNode,
  RawNode,
  ReferenceNode,
  SelectModifierNode,
  SelectQueryNode,
  TableNode,
  ValueNode,
} from "#kysely";
import type {
  CommonTableExpressionNode,
  CompiledQuery,
  FromNode,
  JoinNode,
  OperationNode,
  QueryId,
  RootOperationNode,
  WithNode,
} from "#kysely";

/** Hints of locking reads: they hold their rows until the commit. */
const LOCK_HINTS = {
  ForUpdate: " with (updlock, rowlock)",
  ForShare: " with (repeatableread, rowlock)",
} as const;

/**
 * Compiles the queries of the ports for SQL Server. Limits become `top` or `offset … fetch`, locks
 * become table hints, and a recursive query becomes a loop over a table variable: recursion in SQL
 * Server visits every path and ends after 100 levels.
 */
export class SqlServerCompiler extends MssqlQueryCompiler {
  readonly #hints: string[] = [];
  /** Names of table variables in place of recursive queries. */
  readonly #loops = new Set<string>();
  #before = "";
  #isBefore = false;

  override compileQuery(node: RootOperationNode, id: QueryId): CompiledQuery {
    this.#loops.clear();
    this.#before = "";
    const compiled = super.compileQuery(node, id);
    if (this.#before === "") return compiled;
    return { ...compiled, sql: `${this.#before}set nocount off; ${compiled.sql.trim()}` };
  }

  protected override append(text: string): void {
    if (this.#isBefore) this.#before += text;
    else super.append(text);
  }

  /** SQL Server has the numbers 1 and 0 as truth values. */
  protected override appendImmediateValue(value: unknown): void {
    if (typeof value === "boolean") this.append(value ? "1" : "0");
    else super.appendImmediateValue(value);
  }

  /** Literals are Unicode text; without the letter they would lose signs of other scripts. */
  protected override appendStringLiteral(value: string): void {
    this.append("N");
    super.appendStringLiteral(value);
  }

  protected override visitSelectQuery(node: SelectQueryNode): void {
    const modifiers = (node.endModifiers ?? []).filter(SelectModifierNode.is);
    const lock = modifiers.find(
      ({ modifier }) => modifier === "ForUpdate" || modifier === "ForShare",
    );
    this.#hints.push(LOCK_HINTS[lock?.modifier as keyof typeof LOCK_HINTS] ?? "");
    const rest = node.endModifiers?.filter((modifier) => modifier !== lock);
    super.visitSelectQuery(limited({ ...node, ...(rest && { endModifiers: rest }) }));
    this.#hints.pop();
  }

  protected override visitFrom({ froms }: FromNode): void {
    this.append("from ");
    for (const [index, from] of froms.entries()) {
      if (index > 0) this.append(", ");
      this.visitNode(from);
      if (this.#canLock(from)) this.append(this.#hints.at(-1) ?? "");
    }
  }

  /** The rows of joined tables stay locked as well. */
  protected override visitJoin(node: JoinNode): void {
    const hint = this.#hints.at(-1) ?? "";
    const isLocked = hint !== "" && this.#canLock(node.table);
    const table = isLocked ? RawNode.create(["", hint], [node.table]) : node.table;
    super.visitJoin({ ...node, table });
  }

  /** Table variables belong to the session and take no hints. */
  #canLock(node: OperationNode): boolean {
    const table = AliasNode.is(node) ? node.node : node;
    return TableNode.is(table) && !this.#loops.has(table.table.identifier.name);
  }

  protected override visitTable(node: TableNode): void {
    const { name } = node.table.identifier;
    if (!this.#loops.has(name) || ReferenceNode.is(this.parentNode as OperationNode)) {
      super.visitTable(node);
      return;
    }
    this.append(`@${name}`);
    if (!AliasNode.is(this.parentNode as OperationNode)) this.append(` as "${name}"`);
  }

  protected override visitWith(node: WithNode): void {
    if (!node.recursive) {
      super.visitWith(node);
      return;
    }
    this.#isBefore = true;
    for (const expression of node.expressions) this.#visitLoop(expression);
    this.#isBefore = false;
  }

  /** Inserts the first rows, then the rows after them, until a round adds none. */
  #visitLoop({ name, expression }: CommonTableExpressionNode): void {
    const { first, next, column } = loopOf(expression, name);
    const table = name.table.table.identifier.name;
    this.#loops.add(table);
    this.append(`set nocount on; declare @${table} table ("${column}" bigint primary key); `);
    this.append(`insert into @${table} select distinct "${column}" from `);
    this.visitNode(first);
    this.append(` as "first" ("${column}"); while @@rowcount > 0 insert into @${table} `);
    this.append(`select distinct "next"."${column}" from `);
    this.visitNode(next);
    this.append(` as "next" ("${column}") where not exists (select 1 from @${table} as "done" `);
    this.append(`where "done"."${column}" = "next"."${column}"); `);
  }
}

type Loop = {
  readonly first: OperationNode;
  readonly next: OperationNode;
  readonly column: string;
};

/** The parts of `first union next`, with the one column that the query has. */
function loopOf(expression: OperationNode, { columns }: CommonTableExpressionNode["name"]): Loop {
  const column = columns?.[0]?.column.name;
  if (column === undefined || !SelectQueryNode.is(expression)) {
    throw new Error("A recursive query needs the name of its column.");
  }
  const { setOperations = [], ...first } = expression;
  const [next, ...others] = setOperations;
  if (next === undefined || others.length > 0) {
    throw new Error("A recursive query consists of two queries.");
  }
  return { first, next: next.expression, column };
}

/** With `top` instead of a limit; after an offset, or for a union, with `fetch`. */
function limited(node: SelectQueryNode): SelectQueryNode {
  const { limit, offset, ...query } = node;
  if (!limit) return node;
  if (!offset && !query.setOperations) {
    const top = RawNode.create(["top(", ")"], [limit.limit]);
    return { ...query, frontModifiers: [...(query.frontModifiers ?? []), modifierOf(top)] };
  }
  const skip = offset?.offset ?? ValueNode.createImmediate(0);
  const page = RawNode.create(["offset ", " rows fetch next ", " rows only"], [skip, limit.limit]);
  const orderBy = query.orderBy ?? OrderByNode.create([OrderByItemNode.create(FIRST_COLUMN)]);
  return { ...query, orderBy, endModifiers: [modifierOf(page), ...(query.endModifiers ?? [])] };
}

/** Any order, which `offset` requires. */
const FIRST_COLUMN = ValueNode.createImmediate(1);

function modifierOf(raw: RawNode): SelectModifierNode {
  return SelectModifierNode.createWithExpression(raw);
}
