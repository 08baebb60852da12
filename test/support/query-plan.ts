import type { Pool } from 'pg';

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly Plans?: readonly PlanNode[];
  readonly 'Actual Rows'?: number;
  readonly 'Actual Loops'?: number;
  readonly 'Rows Removed by Filter'?: number;
}

interface QueryPlan {
  readonly indexes: readonly string[];
  readonly readWhole: readonly string[];
}

/** How PostgreSQL would go about a statement: the indexes it would use, and the tables it would read from end to end. */
export async function planOf(
  pool: Pool,
  { text, values }: { readonly text: string; readonly values: unknown[] },
): Promise<QueryPlan> {
  return explained(pool, `explain (format json) ${text}`, values);
}

/** The plan that is kept for a prepared statement: for any values, made with what is in the tables now. */
export async function keptPlanOf(pool: Pool, { text }: { readonly text: string }): Promise<QueryPlan> {
  return explained(pool, `explain (format json, generic_plan) ${text}`);
}

/** How many rows of tables and indexes a statement looks at. Runs it. */
export async function rowsReadBy(pool: Pool, { text }: { readonly text: string }): Promise<number> {
  const nodes = await nodesExplained(pool, `explain (analyze, format json) ${text}`);
  const read = nodes.filter((node) => node['Relation Name'] !== undefined || node['Index Name'] !== undefined);
  return read.reduce(
    (sum, node) =>
      sum + ((node['Actual Rows'] ?? 0) + (node['Rows Removed by Filter'] ?? 0)) * (node['Actual Loops'] ?? 0),
    0,
  );
}

async function explained(pool: Pool, statement: string, values?: unknown[]): Promise<QueryPlan> {
  const nodes = await nodesExplained(pool, statement, values);
  return {
    indexes: nodes.flatMap((node) => node['Index Name'] ?? []),
    readWhole: nodes.flatMap((node) => (node['Node Type'] === 'Seq Scan' ? (node['Relation Name'] ?? []) : [])),
  };
}

async function nodesExplained(pool: Pool, statement: string, values?: unknown[]): Promise<PlanNode[]> {
  const { rows } = await pool.query<{ 'QUERY PLAN': string }>(statement, values);
  const [{ Plan }] = JSON.parse(rows[0]?.['QUERY PLAN'] ?? '') as [{ Plan: PlanNode }];
  return nodesOf(Plan);
}

function nodesOf(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(nodesOf)];
}
