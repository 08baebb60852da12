<?php

declare(strict_types=1);

namespace Tillseal\Error;

/** The webhook is not from Tillseal, or too old. Answer it with 400. */
final class WebhookError extends TillsealError
{
}
