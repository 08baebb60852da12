import { compare, type Decimal, decimal, divideHalfEven, multiply, subtract } from './decimal.ts';

export interface PricedLine {
  readonly UnitPrice: Decimal | undefined;
  readonly Quantity: Decimal;
  readonly LineTotal: Decimal;
}

const CENT = decimal('0.01');

/**
 * Some of a line: at its price, or, without one or where that does not come to whole cents, its share. That is rounded down, also where it
 * is negative: all parts together never come to more than the line.
 */
export function partOfLine(line: PricedLine, quantity: Decimal): PricedLine {
  const { UnitPrice, Quantity, LineTotal } = line;
  if (compare(quantity, Quantity) === 0) return line;
  const product = UnitPrice && multiply(UnitPrice, quantity);
  if (product !== undefined && product.scale <= 2) return { UnitPrice, Quantity: quantity, LineTotal: product };
  const exact = multiply(LineTotal, quantity);
  const nearest = divideHalfEven(exact, Quantity, 2);
  const isAbove = compare(multiply(nearest, Quantity), exact) > 0;
  return { UnitPrice: undefined, Quantity: quantity, LineTotal: isAbove ? subtract(nearest, CENT) : nearest };
}
