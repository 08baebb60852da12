<?php

namespace Tillseal\Outbox;

use Tillseal\Error\ProblemException;

/** Refused because of its content. Fix the cause and `retry` it, or `discard` it and sell a corrected one. */
final class SetAside
{
    public function __construct(
        public readonly string $reference,
        public readonly ProblemException $problem,
    ) {}
}
