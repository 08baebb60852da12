using System;
using System.Collections;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Reflection;

namespace Tillseal
{
    /// <summary>A property that is written as null rather than left out: in <c>TaxPercent</c>, null means exempt.</summary>
    [AttributeUsage(AttributeTargets.Property)]
    public sealed class WrittenWhenNullAttribute : Attribute { }

    /// <summary>A property that is not part of the JSON.</summary>
    [AttributeUsage(AttributeTargets.Property)]
    internal sealed class NotInJsonAttribute : Attribute { }

    /// <summary>Between the values of JSON and objects with public properties of the same names.</summary>
    internal static class JsonBinder
    {
        internal static bool IsInteger(Type type) => !type.IsEnum && Type.GetTypeCode(type) >= TypeCode.SByte && Type.GetTypeCode(type) <= TypeCode.UInt64;

        internal static IEnumerable<KeyValuePair<string, object>> Members(object source)
        {
            var type = source.GetType();
            // .NET's own types are not plain objects: the properties of a DateTime or a Guid are not its value.
            if ($"{type.Namespace}.".StartsWith("System.", StringComparison.Ordinal))
                throw new ArgumentException($"a {type} cannot be written as JSON{(source is float || source is double ? ", it is never exact: use decimal" : source is DateTime ? ": use DateTimeOffset" : "")}");
            return from property in Properties(type)
                   let value = property.GetValue(source)
                   where value != null || property.IsDefined(typeof(WrittenWhenNullAttribute))
                   select new KeyValuePair<string, object>(property.Name, value);
        }

        /// <param name="isLenient">What cannot be read keeps its default.</param>
        internal static object Bind(object value, Type type, string path, bool isLenient = false)
        {
            var plain = Nullable.GetUnderlyingType(type) ?? type;
            if (value == null && (plain != type || !type.IsValueType)) return null;
            if (plain == typeof(object) || plain.IsInstanceOfType(value)) return value;
            if (value is decimal number && IsInteger(plain) && TryConvert(number, plain, out var integer)) return integer;
            if (value is string text)
            {
                if (plain.IsEnum && Enum.IsDefined(plain, text)) return Enum.Parse(plain, text);
                if (plain == typeof(DateTimeOffset) && DateTimeOffset.TryParse(text, CultureInfo.InvariantCulture, DateTimeStyles.None, out var moment)) return moment;
            }
            if (value is List<object> items && typeof(IList).IsAssignableFrom(plain) && plain.IsGenericType) return BindItems(items, plain, path, isLenient);
            if (value is Dictionary<string, object> members && plain.IsClass && plain != typeof(string)) return BindMembers(members, plain, path, isLenient);
            throw new FormatException($"{(path == "" ? "the JSON" : path)} cannot be read as {plain.Name}");
        }

        private static bool TryConvert(decimal number, Type type, out object integer)
        {
            integer = null;
            try { integer = decimal.Truncate(number) == number ? Convert.ChangeType(number, type, CultureInfo.InvariantCulture) : null; }
            catch (OverflowException) { }
            return integer != null;
        }

        private static object BindItems(List<object> items, Type type, string path, bool isLenient)
        {
            var list = (IList)Activator.CreateInstance(type);
            foreach (var item in items) list.Add(Bind(item, type.GetGenericArguments()[0], $"{path}[{list.Count}]", isLenient));
            return list;
        }

        private static object BindMembers(Dictionary<string, object> members, Type type, string path, bool isLenient)
        {
            var target = Activator.CreateInstance(type);
            foreach (var property in Properties(type).Where(property => property.CanWrite && members.ContainsKey(property.Name)))
            {
                try { property.SetValue(target, Bind(members[property.Name], property.PropertyType, path == "" ? property.Name : $"{path}.{property.Name}", isLenient)); }
                catch (FormatException) when (isLenient) { }
            }
            return target;
        }

        private static IEnumerable<PropertyInfo> Properties(Type type) =>
            type.GetProperties(BindingFlags.Public | BindingFlags.Instance)
                .Where(property => property.CanRead && property.GetIndexParameters().Length == 0 && !property.IsDefined(typeof(NotInJsonAttribute)));
    }
}
