package hostapi

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/valyala/fastjson"
)

// object is a JSON object of an answer. It is read tolerantly: each member by itself, and a number also if it is a
// fraction or in quotes. A member that cannot be read is unknown, that is zero, and is noted for staff. A member that is
// missing or null is unknown too, but is not noted.
type object struct {
	*fastjson.Value        // nil: there is none, and no member
	path            string // of the object in the answer, such as "account."
	unread          *[]string
}

// maxFigure bounds the numbers that are believed: a petabyte in megabytes.
const maxFigure = 1e9

var (
	// notANumber is what some languages write for a number that JSON has no form for.
	notANumber = regexp.MustCompile(`([:,\[]\s*)-?(NaN|Infinity)\b`)
	// wholeNumber is a number that may be an ID. Languages that have no integers write it with a fraction of zero.
	wholeNumber = regexp.MustCompile(`^(-?[0-9]+)(\.0+)?$`)
)

// parse reads a body as one JSON object.
func parse(body []byte) (object, error) {
	if !json.Valid(body) {
		if body = notANumber.ReplaceAll(body, []byte("${1}null")); !json.Valid(body) {
			return object{}, errNoJSON
		}
	}
	v, err := new(fastjson.Parser).ParseBytes(body)
	switch {
	case err != nil: // it may repeat what it read
		return object{}, errors.New("its JSON is too deep")
	case v.Type() != fastjson.TypeObject:
		return object{}, errors.New("it is " + kindName(v) + " and no object")
	}
	return object{v, "", new([]string)}, nil
}

var errNoJSON = errors.New("it is no JSON")

// member returns a member, or nil. Case does not matter, as to encoding/json.
func (o object) member(name string) (found *fastjson.Value) {
	if o.Value == nil {
		return nil
	}
	if found = o.Get(name); found == nil {
		o.GetObject().Visit(func(key []byte, v *fastjson.Value) {
			if found == nil && strings.EqualFold(string(key), name) {
				found = v
			}
		})
	}
	return found
}

// object returns a member that is an object.
func (o object) object(name string) object {
	v := o.member(name)
	if kind := kindOf(v); kind != fastjson.TypeObject {
		if kind != fastjson.TypeNull {
			o.noteKind(name, v)
		}
		v = nil
	}
	return o.within(name, v)
}

func (o object) within(name string, v *fastjson.Value) object {
	return object{v, o.path + name + ".", o.unread}
}

// list returns the objects in a member that is a list. Services write lists in other ways, too. If something was left
// out of a list, PHP writes an object whose names are numbers. PHP and Lua may write an empty list as an empty object, and
// Go writes it as null. An element that is no object is returned as one without members.
func (o object) list(name string) ([]object, error) {
	v := o.member(name)
	values, isList := v.GetArray(), kindOf(v) == fastjson.TypeArray
	if !isList {
		if values, isList = numbered(v); !isList {
			return nil, fmt.Errorf("%s: %s", name, kindName(v))
		}
	}
	objects := make([]object, len(values))
	for i, v := range values {
		if kindOf(v) != fastjson.TypeObject {
			o.noteKind(name+"[]", v)
			v = nil
		}
		objects[i] = o.within(name+"[]", v)
	}
	return objects, nil
}

// numbered returns the members of an object in the order of their names, if all names are numbers.
func numbered(v *fastjson.Value) (values []*fastjson.Value, ok bool) {
	if v == nil || v.Type() != fastjson.TypeObject && v.Type() != fastjson.TypeNull {
		return nil, false
	}
	type member struct {
		number uint64
		value  *fastjson.Value
	}
	var members []member
	ok = true
	v.GetObject().Visit(func(key []byte, v *fastjson.Value) {
		n, err := strconv.ParseUint(string(key), 10, 64)
		ok = ok && err == nil
		members = append(members, member{n, v})
	})
	slices.SortStableFunc(members, func(one, other member) int { return cmp.Compare(one.number, other.number) })
	for _, m := range members {
		values = append(values, m.value)
	}
	return values, ok
}

// text reads a text. A number becomes its digits.
func (o object) text(name string) string {
	v := o.member(name)
	switch kindOf(v) {
	case fastjson.TypeNull:
	case fastjson.TypeString, fastjson.TypeNumber:
		return scalar(v)
	default:
		o.noteKind(name, v)
	}
	return ""
}

// id reads an ID, which must be there.
func (o object) id(name string) string {
	v := o.member(name)
	id := ""
	switch kindOf(v) {
	case fastjson.TypeString:
		id = scalar(v)
	case fastjson.TypeNumber:
		if digits := wholeNumber.FindStringSubmatch(scalar(v)); digits != nil {
			id = digits[1]
		}
	}
	if id == "" && o.Value != nil {
		o.noteKind(name, v)
	}
	return id
}

// number reads a number. A negative one is unknown: some services mean by it that there is no limit.
func (o object) number(name string) int {
	v := o.member(name)
	if kindOf(v) == fastjson.TypeNull {
		return 0
	}
	n, ok := figure(strings.TrimSpace(scalar(v)))
	switch {
	case ok:
	case kindOf(v) == fastjson.TypeNumber:
		o.note(name, "a number out of range")
	default:
		o.noteKind(name, v)
	}
	return n
}

func figure(text string) (n int, ok bool) {
	if text == "" || strings.Trim(text, "+-.0123456789eE") != "" { // as "512 MB", and "inf", which ParseFloat takes
		return 0, false
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || f > maxFigure {
		return 0, false
	}
	return int(math.Round(max(f, 0))), true
}

// scalar returns a text, or a number or a boolean as it is written; "" for anything else.
func scalar(v *fastjson.Value) string {
	switch kindOf(v) {
	case fastjson.TypeString:
		return valid(string(v.GetStringBytes()))
	case fastjson.TypeNumber, fastjson.TypeTrue, fastjson.TypeFalse:
		return v.String()
	default:
		return ""
	}
}

func valid(text string) string { return strings.ToValidUTF8(text, "\uFFFD") }

// note notes once what is wrong with a member, and never its value.
func (o object) note(name, mistake string) {
	if text := o.path + name + ": " + mistake; !slices.Contains(*o.unread, text) {
		*o.unread = append(*o.unread, text)
	}
}

func (o object) noteKind(name string, v *fastjson.Value) { o.note(name, kindName(v)) }

// kindOf returns the type of a value, or null where there is none.
func kindOf(v *fastjson.Value) fastjson.Type {
	if v == nil {
		return fastjson.TypeNull
	}
	return v.Type()
}

func kindName(v *fastjson.Value) string {
	switch kindOf(v) {
	case fastjson.TypeObject:
		return "an object"
	case fastjson.TypeArray:
		return "an array"
	case fastjson.TypeString:
		return "a string"
	case fastjson.TypeNumber:
		return "a number"
	case fastjson.TypeNull:
		if v == nil {
			return "missing"
		}
		return "null"
	default:
		return "a boolean"
	}
}
