<?php

declare(strict_types=1);

namespace Tillseal;

/** The tax sums of a receipt by the published rules, so that a till can show totals while it is offline. */
final class TaxSums
{
    /** @param list<array{TaxPercent: ?string, SalesAmountWithTax: string, TaxAmount: string}> $taxes */
    private function __construct(
        /** The receipt's `Taxes`, in the order in which the percentages first appear on its lines. */
        public readonly array $taxes,
        /** The receipt's `TotalAmount`. */
        public readonly string $totalAmount,
    ) {}

    /**
     * Tax is computed once for each percentage, on the sum of its lines, and rounded to cents, half to even.
     *
     * @param list<array{LineTotal: int|string, TaxPercent: int|string|null}> $lines `ReceiptLines`; null is exempt
     * @param bool $isTaxInclusive `ReceiptLinesTaxInclusive`
     */
    public static function of(array $lines, bool $isTaxInclusive): self
    {
        $sums = [];
        foreach ($lines as $line) {
            $percent = $line['TaxPercent'] === null ? 'exempt' : Digits::fromDecimal($line['TaxPercent'], 2, 'TaxPercent');
            $sums[$percent] = Digits::add($sums[$percent] ?? '0', Digits::fromDecimal($line['LineTotal'], 2, 'LineTotal'));
        }
        $taxes = [];
        $total = '0';
        foreach ($sums as $percent => $sum) {
            $rate = (int) $percent; // In hundredths of a percent; 0 for exempt.
            $tax = $isTaxInclusive
                ? Digits::add($sum, Digits::negate(Digits::scale($sum, 10_000, 10_000 + $rate)))
                : Digits::scale($sum, $rate, 10_000);
            $sales = $isTaxInclusive ? $sum : Digits::add($sum, $tax);
            $total = Digits::add($total, $sales);
            $taxes[] = [
                'TaxPercent' => $percent === 'exempt' ? null : rtrim(rtrim(Digits::toDecimal((string) $percent, 2), '0'), '.'),
                'SalesAmountWithTax' => Digits::toDecimal($sales, 2),
                'TaxAmount' => Digits::toDecimal($tax, 2),
            ];
        }
        return new self($taxes, Digits::toDecimal($total, 2));
    }
}
