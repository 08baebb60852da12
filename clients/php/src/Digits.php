<?php

declare(strict_types=1);

namespace Tillseal;

/**
 * Whole numbers of any length as text ("-1250"), for amounts in cents: 17 digits and two decimals are more than an int holds, and not every
 * PHP has bcmath.
 *
 * @internal
 */
final class Digits
{
    /** "12.5" with 2 decimals is "1250". */
    public static function fromDecimal(int|string $value, int $decimals, string $name): string
    {
        if (!preg_match('/^(-?)(\d+)(?:\.(\d+))?$/D', (string) $value, $parts)) {
            throw new \InvalidArgumentException("$name must be a decimal such as '12.50', got '$value'");
        }
        $fraction = rtrim($parts[3] ?? '', '0');
        if (strlen($fraction) > $decimals) {
            throw new \InvalidArgumentException("$name has at most $decimals decimals, got '$value'");
        }
        return self::signed($parts[1] === '-', $parts[2] . str_pad($fraction, $decimals, '0'));
    }

    /** "1250" with 2 decimals is "12.50". */
    public static function toDecimal(string $number, int $decimals): string
    {
        $digits = str_pad(ltrim($number, '-'), $decimals + 1, '0', STR_PAD_LEFT);
        return ($number[0] === '-' ? '-' : '') . substr($digits, 0, -$decimals) . '.' . substr($digits, -$decimals);
    }

    public static function negate(string $number): string
    {
        return self::signed($number[0] !== '-', ltrim($number, '-'));
    }

    public static function add(string $left, string $right): string
    {
        [$isLeftNegative, $isRightNegative] = [$left[0] === '-', $right[0] === '-'];
        $length = max(strlen($left), strlen($right));
        $left = str_pad(ltrim($left, '-'), $length, '0', STR_PAD_LEFT);
        $right = str_pad(ltrim($right, '-'), $length, '0', STR_PAD_LEFT);
        if (strcmp($left, $right) < 0) {
            // Of the same length, so the order of texts is that of numbers.
            [$left, $right, $isLeftNegative, $isRightNegative] = [$right, $left, $isRightNegative, $isLeftNegative];
        }
        $sign = $isLeftNegative === $isRightNegative ? 1 : -1;
        $sum = '';
        for ($carry = 0, $place = $length - 1; $place >= 0; $place--) {
            $digit = (int) $left[$place] + $sign * (int) $right[$place] + $carry;
            $carry = intdiv($digit + 10, 10) - 1;
            $sum = ($digit - 10 * $carry) . $sum;
        }
        return self::signed($isLeftNegative, $carry . $sum);
    }

    /** $number × $factor ÷ $divisor, rounded half to even. Factor and divisor are small and positive. */
    public static function scale(string $number, int $factor, int $divisor): string
    {
        $product = '';
        $digits = ltrim($number, '-');
        for ($carry = 0, $place = strlen($digits) - 1; $place >= 0; $place--) {
            $carry += (int) $digits[$place] * $factor;
            $product = ($carry % 10) . $product;
            $carry = intdiv($carry, 10);
        }
        $quotient = '';
        $rest = 0;
        foreach (str_split($carry . $product) as $digit) {
            $rest = $rest * 10 + (int) $digit;
            $quotient .= intdiv($rest, $divisor);
            $rest %= $divisor;
        }
        $isUp = 2 * $rest > $divisor || (2 * $rest === $divisor && (int) substr($quotient, -1) % 2 === 1);
        return self::signed($number[0] === '-', $isUp ? self::add($quotient, '1') : $quotient);
    }

    private static function signed(bool $isNegative, string $digits): string
    {
        $digits = ltrim($digits, '0');
        return $digits === '' ? '0' : ($isNegative ? "-$digits" : $digits);
    }
}
