/** How an amount may be given: never as a float, which does not have exactly the digits you see. */
export type Amount = Decimal | string;

const TEXT = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,3}))?$/;
const tenTo = (exponent: number) => 10n ** BigInt(exponent);

/** An exact decimal number: a whole coefficient and how many of its digits are after the point. */
export class Decimal {
  static readonly ZERO = Decimal.of('0');
  readonly #coefficient: bigint;
  readonly #scale: number;

  private constructor(coefficient: bigint, scale: number) {
    let [digits, places] = [coefficient, scale];
    while (places > 0 && digits % 10n === 0n) {
      digits /= 10n;
      places -= 1;
    }
    this.#coefficient = digits;
    this.#scale = places;
  }

  /** Reads `12.50`, `-3` or `1e2`. */
  static of(amount: Amount): Decimal {
    if (amount instanceof Decimal) return amount;
    const [, minus, whole = '', fraction = '', exponent = '0'] = TEXT.exec(amount) ?? [];
    if (minus === undefined)
      throw new TypeError(`"${amount}" is not a decimal number: give its digits, as in "12.50".`);
    const scale = fraction.length - Number(exponent);
    const coefficient = BigInt(`${minus}${whole}${fraction}`);
    return scale >= 0 ? new Decimal(coefficient, scale) : new Decimal(coefficient * tenTo(-scale), 0);
  }

  get sign(): -1 | 0 | 1 {
    return this.#coefficient === 0n ? 0 : this.#coefficient < 0n ? -1 : 1;
  }

  plus(other: Amount): Decimal {
    const that = Decimal.of(other);
    const scale = Math.max(this.#scale, that.#scale);
    return new Decimal(this.#at(scale) + that.#at(scale), scale);
  }

  minus(other: Amount): Decimal {
    return this.plus(Decimal.of(other).times('-1'));
  }

  times(other: Amount): Decimal {
    const that = Decimal.of(other);
    return new Decimal(this.#coefficient * that.#coefficient, this.#scale + that.#scale);
  }

  /** The quotient with a number of decimals, rounded half to even. */
  dividedBy(other: Amount, places: number): Decimal {
    const that = Decimal.of(other);
    const scale = Math.max(this.#scale, that.#scale);
    return new Decimal(quotient(this.#at(scale) * tenTo(places), that.#at(scale)), places);
  }

  /** With at most that many decimals, rounded half to even. */
  rounded(places: number): Decimal {
    return this.dividedBy('1', places);
  }

  compare(other: Amount): -1 | 0 | 1 {
    return this.minus(other).sign;
  }

  equals(other: Amount): boolean {
    return this.compare(other) === 0;
  }

  /** Its digits, as few as possible: `12.5`. */
  toString(): string {
    return this.toFixed(this.#scale);
  }

  /** With exactly that many decimals, as it is printed: `12.50`. */
  toFixed(places: number): string {
    const coefficient = this.rounded(places).#at(places);
    const digits = String(coefficient < 0n ? -coefficient : coefficient).padStart(places + 1, '0');
    const point = digits.length - places;
    return `${coefficient < 0n ? '-' : ''}${digits.slice(0, point)}${places > 0 ? `.${digits.slice(point)}` : ''}`;
  }

  /** Tillseal takes decimals as text. */
  toJSON(): string {
    return this.toString();
  }

  /** Its coefficient with more decimals than it has. */
  #at(scale: number): bigint {
    return this.#coefficient * tenTo(scale - this.#scale);
  }
}

/** Half to even: 2.5 is 2, 3.5 is 4. */
function quotient(dividend: bigint, divisor: bigint): bigint {
  const isNegative = dividend < 0n !== divisor < 0n;
  const [top, bottom] = [dividend < 0n ? -dividend : dividend, divisor < 0n ? -divisor : divisor];
  const [whole, rest] = [top / bottom, (top % bottom) * 2n];
  const rounded = rest > bottom || (rest === bottom && whole % 2n === 1n) ? whole + 1n : whole;
  return isNegative ? -rounded : rounded;
}
