<?php

declare(strict_types=1);

namespace Tillseal\Error;

/** The journal cannot be written or read. Thrown by `sell`, it means that the sale was not taken and nothing was sent. */
class OutboxError extends TillsealError
{
}
