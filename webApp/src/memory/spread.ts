/** Where the names of a graph begin, before forces move them: around the most connected stands what hangs on it, each with
 *  room for what hangs on that. So lines do not begin across each other, which no force would undo. */
const GOLDEN_ANGLE = Math.PI * (3 - Math.sqrt(5));

interface Branch {
  node: number;
  /** Its place in the list of branches; -1: it hangs on none. */
  above: number;
  depth: number;
  /** How many ends it has, and how many come before them. */
  ends: number;
  from: number;
}

type Links = readonly (readonly [number, number])[];

/** What hangs on none of it stands around it, on a spiral. */
export function spread(count: number, links: Links, length: number): { x: Float64Array; y: Float64Array } {
  const beside = Array.from({ length: count }, (): number[] => []);
  for (const [a, b] of links) {
    beside[a]!.push(b);
    beside[b]!.push(a);
  }
  const x = new Float64Array(count);
  const y = new Float64Array(count);
  const known = new Set<number>();
  for (const root of [...beside.keys()].sort((a, b) => beside[b]!.length - beside[a]!.length || a - b)) {
    if (known.has(root)) continue;
    const radius = length * 0.6 * Math.sqrt(known.size);
    const middle = known.size * GOLDEN_ANGLE;
    const branches = branchesOf(root, beside, known);
    for (const { node, depth, ends, from } of branches) {
      const angle = ((from + ends / 2) / branches[0]!.ends) * 2 * Math.PI;
      x[node] = radius * Math.cos(middle) + depth * length * Math.cos(angle);
      y[node] = radius * Math.sin(middle) + depth * length * Math.sin(angle);
    }
  }
  return { x, y };
}

/** All that hangs on a name, and is not known yet, the nearest first. */
function branchesOf(root: number, beside: number[][], known: Set<number>): Branch[] {
  const branches: Branch[] = [{ node: root, above: -1, depth: 0, ends: 0, from: 0 }];
  known.add(root);
  for (const [above, { node, depth }] of branches.entries()) {
    for (const next of beside[node]!) {
      if (known.has(next)) continue;
      known.add(next);
      branches.push({ node: next, above, depth: depth + 1, ends: 0, from: 0 });
    }
  }
  for (const each of branches.toReversed()) {
    each.ends ||= 1; // nothing hangs on it
    if (each.above >= 0) branches[each.above]!.ends += each.ends;
  }
  const next = branches.map(() => 0); // where in its room the next branch of each begins
  for (const each of branches.slice(1)) {
    each.from = branches[each.above]!.from + next[each.above]!;
    next[each.above]! += each.ends;
  }
  return branches;
}
